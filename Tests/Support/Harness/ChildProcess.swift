internal import FoundationEssentials
package import Glibc
internal import Synchronization

/// A program that runs beside the tests and dies with them.
///
/// What it writes goes to two files, so that a full pipe never stops it and the end of its log can
/// be shown when a test fails.
package final class ChildProcess: Sendable {
    /// How a process ended.
    package enum End: Hashable, Sendable, CustomStringConvertible {
        /// It called exit.
        case exited(Int32)
        /// A signal ended it.
        case killed(Int32)

        package var description: String {
            switch self {
            case .exited(let code): "exit \(code)"
            case .killed(let signal): "signal \(signal)"
            }
        }
    }

    /// Its process id; valid until its end was waited for.
    package let processID: pid_t
    /// The file with its standard output.
    package let outputPath: String
    /// The file with its standard error.
    package let errorPath: String

    /// What its log must not hold.
    private let inspection: LogInspection?
    private let commands: Int32
    private let end = Mutex<End?>(nil)

    private init(
        processID: pid_t, commands: Int32, outputPath: String, errorPath: String,
        inspection: LogInspection?
    ) {
        self.inspection = inspection
        self.processID = processID
        self.commands = commands
        self.outputPath = outputPath
        self.errorPath = errorPath
    }

    deinit {
        close(commands)
        guard end.withLock({ $0 }) == nil else { return }
        Glibc.kill(processID, SIGKILL)
        waitpid(processID, nil, 0)
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: the path of its executable.
    ///   - arguments: what stands behind its name.
    ///   - environment: variables beside those of this process; of two with one name these count.
    ///   - folder: where its output goes.
    ///   - name: what the output files are called.
    /// - Returns: the running process.
    /// - Throws: ``HarnessFailure`` when it can't be started.
    package static func start(
        _ program: String, _ arguments: [String] = [], environment: [String: String] = [:],
        folder: Folder, name: String
    ) async throws -> ChildProcess {
        let output = folder.path(name + ".out")
        let errors = folder.path(name + ".err")
        // The death signal survives the exec, as long as no other user is taken on.
        let command = ["setpriv", "--pdeathsig", "KILL", "--", program] + arguments
        let started = await SpawningThread.shared.run {
            spawn(command, environment: environment, output: output, errors: errors)
        }
        switch started {
        case .failure(let failure): throw failure
        case .success(let (processID, commands)):
            // Others may write what they like.
            let isOurs = program.hasSuffix("/attest-worker")
            return ChildProcess(
                processID: processID, commands: commands, outputPath: output, errorPath: errors,
                inspection: isOurs
                    ? LogInspection(arguments: arguments, environment: environment) : nil)
        }
    }

    /// Writes a line to its standard input.
    package func command(_ line: String) throws {
        let bytes = Array((line + "\n").utf8)
        guard write(commands, bytes, bytes.count) == bytes.count else {
            throw HarnessFailure("the command \"\(line)\" could not be written: errno \(errno)")
        }
    }

    /// Sends a signal; none once its end was waited for, as the id may be another's by then.
    package func send(_ signal: Int32) {
        end.withLock { end in
            if end == nil { _ = Glibc.kill(processID, signal) }
        }
    }

    /// How it ended; nil while it runs.
    package var ended: End? {
        end.withLock { end in
            if let end { return end }
            var status: Int32 = 0
            guard waitpid(processID, &status, WNOHANG) == processID else { return nil }
            // The macros of wait(2) are out of Swift's sight.
            let signal = status & 0x7F
            end = signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal)
            return end
        }
    }

    /// Waits for its end.
    ///
    /// - Parameter limit: how long at the most.
    /// - Returns: how it ended.
    /// - Throws: ``HarnessFailure`` when it still runs, or when its log holds what no log may.
    package func waitForEnd(within limit: Duration) async throws -> End {
        var found: End?
        try await eventually("\(self) shall end", within: limit) {
            found = ended
            return found != nil
        }
        guard let found else { throw HarnessFailure("\(self) has no end") }
        if let problem = inspection?.problem(in: errors) {
            throw HarnessFailure("\(problem); \(self)")
        }
        return found
    }

    /// Ends it at once and waits for that.
    package func kill() async throws {
        send(SIGKILL)
        _ = try await waitForEnd(within: .seconds(10))
    }

    /// All of its standard output so far.
    package var output: String { text(of: outputPath) }

    /// All of its standard error so far.
    package var errors: String { text(of: errorPath) }

    private func text(of path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }
}

extension ChildProcess: CustomStringConvertible {
    /// Its id and the end of its log.
    package var description: String {
        let lines = errors.split(separator: "\n").suffix(12)
        return "process \(processID), whose log ends:\n" + lines.joined(separator: "\n")
    }
}

/// Starts a program found on the PATH, with a pipe as its standard input.
private func spawn(
    _ command: [String], environment: [String: String], output: String, errors: String
) -> Result<(pid_t, Int32), HarnessFailure> {
    var ends: [Int32] = [-1, -1]
    // Closed on exec, from the first moment on, which pipe(2) can't do: a child that holds
    // another's input would keep it from ever seeing its end.
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0, let input = ends.first, let writer = ends.last
    else { return .failure(HarnessFailure("socketpair failed with errno \(errno)")) }
    defer { close(input) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let create = O_WRONLY | O_CREAT | O_APPEND
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, create, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, errors, create, 0o600)
    keepHandlesFromChildren()
    let variables = environmentOfThisProcess().merging(environment) { $1 }
    var processID: pid_t = 0
    let code = withCStrings(command) { command in
        withCStrings(variables.map { "\($0.key)=\($0.value)" }) { variables in
            command[0].map { posix_spawnp(&processID, $0, &actions, nil, command, variables) }
        }
    }
    guard code == 0 else {
        close(writer)
        return .failure(HarnessFailure("\(command) can't be started: \(code ?? ENOMEM)"))
    }
    return .success((processID, writer))
}

/// Has all files and sockets of this process closed in its children.
///
/// librdkafka's are not by themselves, and a child would hold on to connections that are cut.
private func keepHandlesFromChildren() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    for handle in names.compactMap({ Int32($0) }) where handle > 2 {
        // One that was closed meanwhile is no fault.
        _ = fcntl(handle, F_SETFD, FD_CLOEXEC)
    }
}

/// Lends strings as C has them: pointers with a null pointer at the end.
private func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let pointers = strings.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
}

/// This process's variables without those that would be settings of a worker or of libpq.
private func environmentOfThisProcess() -> [String: String] {
    ProcessInfo.processInfo.environment.filter { name, _ in
        !name.hasPrefix("ATTEST_") && !name.hasPrefix("PG")
    }
}
