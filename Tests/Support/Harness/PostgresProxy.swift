internal import Dispatch
internal import Glibc
package import PostgresStore
internal import Synchronization

/// A socket between workers and the database server that misbehaves when told to.
///
/// Each connection is served on a thread of its own. It understands as much of the protocol as it
/// needs: the prepared statement's name by which a worker sends COMMIT.
package final class PostgresProxy: Sendable {
    /// What it does with bytes.
    package enum Mode: Sendable {
        /// Passes all on.
        case pass
        /// Takes all and passes nothing on.
        case silent
        /// Cuts both sides instead of passing a COMMIT on; then passes again.
        case cutBeforeCommit
        /// Passes a COMMIT on and cuts both sides instead of its answer; then passes again.
        case cutAfterCommit
    }

    /// The most connections at a time; more are refused.
    package static let connectionsMax = 64
    /// How often a thread that hears nothing looks at the mode and the connection's end.
    private static let pollMilliseconds: Int32 = 200

    /// The folder of its socket: the `host` of a connection string, with port 5432.
    package let folder: String
    private let listener: Int32
    private let target: String
    private let mode = Mutex(Mode.pass)
    private let open = Mutex(0)
    private let cuts = Mutex(0)
    private let turns = Mutex(0)
    private let isClosed = Mutex(false)

    /// Listens.
    ///
    /// - Parameter server: where bytes are passed to.
    /// - Throws: ``HarnessFailure`` if it has no socket.
    package init(to server: TemporaryPostgres) throws {
        target = "\(server.folder)/.s.PGSQL.\(server.port)"
        var template = Array("/tmp/attest-proxy-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw HarnessFailure("mkdtemp: errno \(errno)") }
        folder = String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let bound = withAddress(folder + "/.s.PGSQL.5432") { bind(listener, $0, $1) }
        guard bound == 0, listen(listener, 64) == 0 else {
            throw HarnessFailure("the proxy can't listen: errno \(errno)")
        }
        let queue = DispatchQueue(label: "proxy")
        queue.async { [listener, self] in
            while true {
                let client = accept(listener, nil, nil)
                if client < 0 {
                    if isClosed.withLock({ $0 }) { return }
                    continue
                }
                let isFull = open.withLock { open in
                    open += 1
                    return open > Self.connectionsMax
                }
                DispatchQueue(label: "proxy connection").async { [self] in
                    if !isFull { serve(client) }
                    Glibc.close(client)
                    open.withLock { $0 -= 1 }
                }
            }
        }
    }

    /// Stops listening; a connection that is open stays so until one side ends it.
    package func close() {
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        if wasClosed { return }
        shutdown(listener, Int32(SHUT_RDWR))
        Glibc.close(listener)
        unlink(folder + "/.s.PGSQL.5432")
        rmdir(folder)
    }

    /// Changes what it does from now on.
    package func set(_ mode: Mode) {
        self.mode.withLock { $0 = mode }
    }

    /// How many connections it has cut at a COMMIT.
    package var commitsCut: Int { cuts.withLock { $0 } }

    /// How often a client spoke after the server had: the round trips so far.
    package var roundTrips: Int { turns.withLock { $0 } }

    // MARK: - One connection

    private func serve(_ client: Int32) {
        let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { Glibc.close(server) }
        guard withAddress(target, { connect(server, $0, $1) }) == 0 else { return }
        var endsWithAnswer = false
        var isClientsTurn = false
        while !isClosed.withLock({ $0 }) {
            var sockets = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: server, events: Int16(POLLIN), revents: 0),
            ]
            let ready = poll(&sockets, 2, Self.pollMilliseconds)
            if ready == 0 { continue }
            guard ready > 0 else { return }
            let fromClient = sockets[0].revents != 0
            guard let bytes = receive(fromClient ? client : server) else { return }
            if fromClient, !isClientsTurn { turns.withLock { $0 += 1 } }
            isClientsTurn = fromClient
            if case .silent = mode.withLock({ $0 }) { continue }
            if endsWithAnswer, !fromClient { return }
            if fromClient, contains(bytes, Array("attest_commit".utf8)) {
                switch takeCut() {
                case .cutBeforeCommit: return
                case .cutAfterCommit: endsWithAnswer = true
                case .pass, .silent: break
                }
            }
            guard sendAll(bytes, to: fromClient ? server : client) else { return }
        }
    }

    /// What to do about this COMMIT; a cut is done once.
    private func takeCut() -> Mode {
        mode.withLock { mode in
            switch mode {
            case .pass, .silent: return mode
            case .cutBeforeCommit, .cutAfterCommit:
                defer { mode = .pass }
                cuts.withLock { $0 += 1 }
                return mode
            }
        }
    }

    private func receive(_ socket: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &bytes, bytes.count, 0)
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }

    private func sendAll(_ bytes: [UInt8], to socket: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

/// Whether bytes contain a text: by libc, as a search in Swift without optimisation takes long.
private func contains(_ bytes: [UInt8], _ text: [UInt8]) -> Bool {
    guard let first = text.first else { return true }
    return bytes.withUnsafeBytes { buffer in
        var rest = buffer[...]
        while rest.count >= text.count,
            let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress,
            let found = memchr(start, Int32(first), rest.count - text.count + 1)
        {
            if memcmp(found, text, text.count) == 0 { return true }
            rest = rest.dropFirst(UnsafeRawPointer(found) - start + 1)
        }
        return false
    }
}

/// Calls with a Unix socket's address.
private func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
    }
}
