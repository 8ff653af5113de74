import Dispatch
import Glibc
import Synchronization
import Worker

@testable import PostgresStore

/// A socket between a store and the server that misbehaves when told to.
///
/// It serves one connection at a time, on a thread of its own, until it is closed.
final class TestProxy: Sendable {
    /// What it does with bytes.
    enum Mode: Sendable {
        /// Passes all on.
        case pass
        /// Takes all and passes nothing on.
        case silent
        /// Cuts both sides instead of passing a COMMIT on; then passes again.
        case cutBeforeCommit
        /// Passes a COMMIT on and cuts both sides instead of its answer; then passes again.
        case cutAfterCommit
    }

    /// The folder of its socket: the `host` of a connection string.
    let folder: String
    private let listener: Int32
    private let target: String
    private let mode = Mutex(Mode.pass)
    private let turns = Mutex(0)

    /// Listens.
    ///
    /// - Parameter server: where bytes are passed to.
    /// - Throws: if it has no socket.
    init(to server: TemporaryPostgres) throws(Fault) {
        target = "\(server.folder)/.s.PGSQL.\(server.port)"
        var template = Array("/tmp/attest-proxy-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Self.failure("mkdtemp") }
        folder = String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let bound = withAddress(folder + "/.s.PGSQL.5432") { bind(listener, $0, $1) }
        guard bound == 0, listen(listener, 16) == 0 else { throw Self.failure("listen") }
        let thread = DispatchQueue(label: "proxy")
        thread.async { [listener, self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                serve(client)
            }
        }
    }

    /// Stops listening; a connection that is open stays so until one side ends it.
    func close() {
        shutdown(listener, Int32(SHUT_RDWR))
        Glibc.close(listener)
        unlink(folder + "/.s.PGSQL.5432")
        rmdir(folder)
    }

    /// Changes what it does from now on.
    func set(_ mode: Mode) {
        self.mode.withLock { $0 = mode }
    }

    /// How often the client spoke after the server had: the round trips so far.
    var roundTrips: Int { turns.withLock { $0 } }

    private func serve(_ client: Int32) {
        defer { Glibc.close(client) }
        let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { Glibc.close(server) }
        guard withAddress(target, { connect(server, $0, $1) }) == 0 else { return }
        var isClientsTurn = true
        var endsWithAnswer = false
        while true {
            var sockets = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: server, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&sockets, 2, -1) > 0 else { return }
            let fromClient = sockets[0].revents != 0
            guard let bytes = receive(fromClient ? client : server) else { return }
            let mode = mode.withLock { $0 }
            if fromClient, !isClientsTurn || turns.withLock({ $0 }) == 0 {
                turns.withLock { $0 += 1 }
            }
            isClientsTurn = fromClient
            if case .silent = mode { continue }
            if endsWithAnswer, !fromClient { return }
            if fromClient, bytes.contains(Array("attest_commit".utf8)) {
                if case .cutBeforeCommit = mode {
                    set(.pass)
                    return
                }
                if case .cutAfterCommit = mode {
                    set(.pass)
                    endsWithAnswer = true
                }
            }
            guard sendAll(bytes, to: fromClient ? server : client) else { return }
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

    private static func failure(_ operation: String) -> Fault {
        Fault(
            operation: operation, code: "errno_\(errno)", disposition: .stop(.software),
            message: String(cString: strerror(errno)))
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

/// Runs on a thread of its own; the result is waited for with `value()`.
final class Background<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let end = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () throws -> Value) {
        DispatchQueue(label: "background").async { [self] in
            let value = Result { try body() }
            result.withLock { $0 = value }
            end.signal()
        }
    }

    func value() throws -> Value? {
        end.wait()
        return try result.withLock { $0 }?.get()
    }
}

/// Waits, at most ten seconds, until the condition holds.
func eventually(_ condition: () throws -> Bool) throws -> Bool {
    for _ in 0..<1000 {
        if try condition() { return true }
        usleep(10_000)
    }
    return false
}
