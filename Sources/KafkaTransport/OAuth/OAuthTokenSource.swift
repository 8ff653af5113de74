internal import Glibc

/// Where tokens for SASL OAUTHBEARER come from: somebody else renews them.
package enum OAuthTokenSource: Hashable, Sendable {
    /// A file, read anew for each token.
    case file(String)
    /// A program with its arguments, started anew for each token: it prints one.
    case command([String])

    /// How long a program may take.
    package static let commandPatience: Duration = .seconds(15)

    /// The bytes of a token.
    ///
    /// - Parameter isCancelled: asked now and then while a program runs.
    /// - Returns: what the file holds or the program printed.
    /// - Throws: what went wrong, for the log: without any output of the program.
    func fetch(isCancelled: () -> Bool) throws(OAuthToken.Problem) -> [UInt8] {
        switch self {
        case .file(let path):
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw .init(message: "can't be read (\(String(cString: strerror(errno))))")
            }
            defer { close(descriptor) }
            return try readAll(descriptor)
        case .command(let words):
            return try run(words, isCancelled: isCancelled)
        }
    }

    /// What it is called in a message.
    var name: String {
        switch self {
        case .file(let path): "the token file \(path)"
        case .command(let words): "the token command \(words.first ?? "")"
        }
    }

    private func readAll(_ descriptor: Int32) throws(OAuthToken.Problem) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= OAuthToken.bytesMax {
            let count = chunk.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 {
                bytes += chunk.prefix(count)
            } else if count == 0 {
                return bytes
            } else if errno != EINTR {
                throw .init(message: "can't be read (\(String(cString: strerror(errno))))")
            }
        }
        return bytes
    }

    /// Runs a program; its standard error is the worker's own.
    private func run(
        _ words: [String], isCancelled: () -> Bool
    ) throws(OAuthToken.Problem) -> [UInt8] {
        var ends: [Int32] = [-1, -1]
        // Closed on exec from the first moment on, which pipe(2) can't do: a program started by
        // another thread that inherits the writing end would keep this one's end from being seen.
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0, let output = ends.first,
            let input = ends.last
        else {
            throw .init(message: "can't be started (\(String(cString: strerror(errno))))")
        }
        defer { close(output) }
        let started = spawn(words, output: input)
        close(input)
        guard case .success(let processID) = started else {
            throw .init(message: "can't be started: is it there, and may it be executed?")
        }
        let deadline = Deadline(after: Self.commandPatience)
        let bytes = collect(output, until: deadline, isCancelled: isCancelled)
        let status = bytes == nil ? nil : end(of: processID, until: deadline, isCancelled)
        guard let bytes, let status else {
            kill(processID, SIGKILL)
            while waitpid(processID, nil, 0) == -1, errno == EINTR {}
            throw .init(message: "took longer than \(Self.commandPatience), or printed too much")
        }
        guard status == 0 else { throw .init(message: "failed (wait status \(status))") }
        return bytes
    }

    /// How a program ended; nil if it runs after the deadline: it may close its output and stay.
    private func end(
        of processID: pid_t, until deadline: Deadline, _ isCancelled: () -> Bool
    ) -> Int32? {
        var status: Int32 = 0
        while waitpid(processID, &status, WNOHANG) != processID {
            guard !deadline.isOver, !isCancelled() else { return nil }
            usleep(20_000)
        }
        return status
    }

    private func spawn(_ words: [String], output: Int32) -> Result<pid_t, OAuthToken.Problem> {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The worker blocks signals, to wait for them; they must end this program as usual.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let copies = words.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        guard let program = words.first else { return .failure(.init(message: "is empty")) }
        var processID: pid_t = 0
        let code = posix_spawnp(
            &processID, program, &actions, &attributes, copies + [nil], environ)
        return code == 0 ? .success(processID) : .failure(.init(message: "errno \(code)"))
    }

    /// All that a program prints; nil when it takes too long or prints too much.
    private func collect(
        _ output: Int32, until deadline: Deadline, isCancelled: () -> Bool
    ) -> [UInt8]? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while !deadline.isOver, !isCancelled(), bytes.count <= OAuthToken.bytesMax {
            var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 200) > 0 else { continue }
            let count = chunk.withUnsafeMutableBytes { read(output, $0.baseAddress, $0.count) }
            if count == 0 { return bytes }
            if count > 0 { bytes += chunk.prefix(count) }
        }
        return nil
    }
}
