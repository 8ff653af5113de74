internal import FoundationEssentials
internal import Glibc
internal import Synchronization
package import Worker

/// A PostgreSQL server of one's own, for demos and tests: made of the installed binaries, in a
/// temporary folder, gone without a trace afterwards.
///
/// PostgreSQL refuses to run as root; then the user `postgres` runs it. It listens on a socket in a
/// folder that only its user may enter, where everyone who can enter is trusted, and on a loopback
/// port if asked to, with a random password.
///
/// A second process, the watcher, waits for the end of a stream that only this process holds open,
/// then stops the server and deletes the folder. So nothing is left behind even after `kill -9`.
package final class TemporaryPostgres: Sendable {
    /// How a server is stopped.
    package enum StopMode: String, Sendable {
        /// Sessions are ended, all is written.
        case fast
        /// As in a power cut: the next start recovers from the log.
        case immediate
    }

    /// What the server is to be like.
    package struct Options: Sendable {
        /// Whether commits are written through to the disk; tests are faster without.
        package var isDurable = false
        /// Whether it listens on a port of 127.0.0.1 too.
        package var listensOnLoopback = false
        /// How many sessions it takes.
        package var connectionsMax = 100
        /// Where its folder is made; nil: in `TMPDIR`, else in `/tmp`.
        package var parent: String?
        /// Lines of its configuration beside our own, which they may overrule: TLS, say.
        package var settings: [String] = []
        /// Lines of `pg_hba.conf` that count before the usual ones: who may come in how.
        package var accessRules: [String] = []
        /// Files to be put into its data folder, by name: certificates, keys.
        package var files: [String: String] = [:]
        /// The folder with `initdb`, `pg_ctl` and `postgres`; nil: the newest in Debian's place.
        package var binaries: String?

        /// The defaults.
        package init() {}
    }

    private struct Watcher {
        var processID: pid_t
        var stream: Int32
    }

    /// The temporary folder; the socket is in it.
    package let folder: String
    /// The port, which is also part of the socket's name.
    package let port: UInt16
    private let options: Options
    private let binaries: String
    private let account: ServerAccount
    private let password: String?
    private let watcher: Mutex<Watcher?>

    /// Makes and starts a server.
    ///
    /// - Parameter options: what it is to be like.
    /// - Throws: `.stop(.unavailable)` if there are no binaries, or one of them fails.
    package init(_ options: Options = Options()) throws(Fault) {
        self.options = options
        account = try ServerAccount.find()
        if let binaries = options.binaries {
            self.binaries = binaries
        } else {
            binaries = try newestBinaries()
        }
        folder = try account.makeFolder(in: options.parent)
        if options.listensOnLoopback {
            port = try freeLoopbackPort()
            password = randomPassword()
        } else {
            port = 5432
            password = nil
        }
        watcher = Mutex(nil)
        try watch()
        try initialise()
        try start()
    }

    deinit {
        remove()
    }

    /// The connection string of a database, by way of the socket.
    package func conninfo(database: String = "postgres") -> String {
        "host=\(folder) port=\(port) user=postgres dbname=\(database)"
    }

    /// The connection string of a database by way of the loopback port, with its password; nil
    /// without such a port.
    package func loopbackConninfo(database: String = "postgres") -> String? {
        password.map {
            "host=127.0.0.1 port=\(port) user=postgres password=\($0) dbname=\(database)"
        }
    }

    /// ``loopbackConninfo(database:)`` as a URI, which drivers of other languages take as well.
    package func loopbackURI(database: String = "postgres") -> String? {
        // Nothing in these needs an escape: the password is digits and letters.
        password.map { "postgresql://postgres:\($0)@127.0.0.1:\(port)/\(database)" }
    }

    /// Starts the server after ``stop(_:)`` and waits until it answers.
    package func start() throws(Fault) {
        try control(["start", "-l", folder + "/server.log"])
    }

    /// Stops the server and waits until it is down.
    package func stop(_ mode: StopMode) throws(Fault) {
        try control(["stop", "-m", mode.rawValue])
    }

    /// Stops the server and deletes everything.
    ///
    /// Idempotent; nothing else may be called afterwards.
    package func remove() {
        let watcher = watcher.withLock { watcher in
            defer { watcher = nil }
            return watcher
        }
        guard let watcher else { return }
        close(watcher.stream)
        exitCode(of: watcher.processID)
        // Left over only where the server's user may not delete from the parent.
        rmdir(folder)
    }

    // MARK: - Steps

    private func watch() throws(Fault) {
        var ends: [Int32] = [0, 0]
        // A socket pair, as its ends can be made in one step such that no program started by
        // another thread inherits them; that program's life would count as ours.
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0, let input = ends.first,
            let output = ends.last
        else {
            throw serverFault("make a socket pair", String(cString: strerror(errno)))
        }
        defer { close(input) }
        // `read` ends when the last writer, this process, is gone. Signals don't end it before.
        let script = """
            trap '' HUP INT TERM
            read -r nothing
            "$1/pg_ctl" stop -D "$2/data" -m immediate
            rm -rf "$2"
            """
        let arguments = ["/bin/sh", "-c", script, "watcher", binaries, folder]
        let program = Subprocess(
            arguments: account.prefix + arguments, folder: "/", outputPath: "/dev/null",
            input: input)
        do {
            let processID = try program.start()
            watcher.withLock { $0 = Watcher(processID: processID, stream: output) }
        } catch {
            close(output)
            throw error
        }
    }

    private func initialise() throws(Fault) {
        var arguments = [
            "initdb", "-D", folder + "/data", "-U", "postgres", "-E", "UTF8",
            "--locale=C.UTF-8", "--no-sync", "--auth-local=trust", "--auth-host=scram-sha-256",
        ]
        if let password {
            try account.write(password + "\n", to: folder + "/password")
            arguments.append("--pwfile=" + folder + "/password")
        }
        try execute(arguments)
        let settings = """

            listen_addresses = '\(password == nil ? "" : "127.0.0.1")'
            port = \(port)
            unix_socket_directories = '\(folder.replacing("'", with: "''"))'
            max_connections = \(options.connectionsMax)
            fsync = \(options.isDurable ? "on" : "off")
            full_page_writes = \(options.isDurable ? "on" : "off")
            log_min_messages = fatal
            \(options.settings.joined(separator: "\n"))

            """
        try account.write(settings, to: folder + "/data/postgresql.conf")
        for (name, text) in options.files { try account.write(text, to: "\(folder)/data/\(name)") }
        guard !options.accessRules.isEmpty else { return }
        // The first line that fits counts; what initdb wrote stays for all that is left.
        let usual = [
            "local all all trust", "host all all 127.0.0.1/32 scram-sha-256",
        ]
        let rules = (options.accessRules + usual).map { $0 + "\n" }.joined()
        try account.write(rules, to: folder + "/data/attest_hba.conf")
        try account.write(
            "hba_file = '\(folder)/data/attest_hba.conf'\n", to: folder + "/data/postgresql.conf")
    }

    private func control(_ arguments: [String]) throws(Fault) {
        try execute(["pg_ctl"] + arguments + ["-D", folder + "/data", "-w", "-t", "60", "-s"])
    }

    private func execute(_ arguments: [String]) throws(Fault) {
        guard let name = arguments.first else { return }
        let output = folder + "/programs.log"
        let program = Subprocess(
            arguments: account.prefix + [binaries + "/" + name] + arguments.dropFirst(),
            folder: folder, outputPath: output)
        guard try program.run() == 0 else {
            let lines = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
            throw serverFault("run \(name)", reasonOfFailure(inOutput: lines))
        }
    }
}

/// The line that tells why a program of the server's failed.
///
/// What comes behind it are consequences, and how it was cleaned up: `initdb: removing data
/// directory …`.
func reasonOfFailure(inOutput output: String) -> String {
    let lines = output.split(separator: "\n").map(String.init)
    let reason = lines.first { line in
        ["ERROR: ", "FATAL: ", "PANIC: ", "error: "].contains { line.contains($0) }
    }
    return reason ?? lines.last ?? "it ended without a word"
}

/// A fault of the temporary server.
func serverFault(_ operation: String, _ message: String) -> Fault {
    Fault(
        operation: operation, code: "temporary_postgres", disposition: .stop(.unavailable),
        message: message)
}

/// The folder of the newest version that Debian has installed.
private func newestBinaries() throws(Fault) -> String {
    let parent = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    let found = versions.compactMap(Int.init).sorted(by: >)
        .map { "\(parent)/\($0)/bin" }
        .first { access($0 + "/initdb", X_OK) == 0 && access($0 + "/pg_ctl", X_OK) == 0 }
    guard let found else {
        throw serverFault("find PostgreSQL", "no server in \(parent); install postgresql")
    }
    return found
}

/// A port of 127.0.0.1 that is free at this moment.
private func freeLoopbackPort() throws(Fault) -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            bind(descriptor, address, length) == 0
                ? getsockname(descriptor, address, &length) : -1
        }
    }
    guard code == 0 else { throw serverFault("find a port", String(cString: strerror(errno))) }
    return UInt16(bigEndian: address.sin_port)
}

/// 128 random bits in base 36.
private func randomPassword() -> String {
    String(UInt64.random(in: .min ... .max), radix: 36)
        + String(UInt64.random(in: .min ... .max), radix: 36)
}
