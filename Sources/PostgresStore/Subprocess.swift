internal import Glibc
internal import Worker

/// A program to be started as the right user, without a shell.
struct Subprocess {
    /// The program's path and its arguments.
    var arguments: [String]
    /// Where it starts.
    var folder: String
    /// Which file takes its output.
    var outputPath: String
    /// The descriptor that becomes its standard input; nil is `/dev/null`.
    var input: Int32?

    /// Starts the program in a process group of its own, so that a terminal's interrupt, which
    /// goes to a whole group, does not reach it.
    ///
    /// - Returns: its process id, to be waited for.
    /// - Throws: `.stop(.unavailable)` if it can't be started.
    func start() throws(Fault) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_addopen(
            &actions, STDOUT_FILENO, outputPath, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Signals that this process blocks, to wait for them, must end the other one as usual.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
        // `env` changes the folder: initdb and pg_ctl fail in one that they may not enter.
        let command = ["/usr/bin/env", "--chdir=" + folder] + arguments
        let copies = command.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        var processID: pid_t = 0
        let code = posix_spawn(
            &processID, "/usr/bin/env", &actions, &attributes, copies + [nil], environ)
        guard code == 0 else {
            throw Fault(
                operation: "start \(arguments.first ?? "nothing")", code: "errno_\(code)",
                disposition: .stop(.unavailable), message: String(cString: strerror(code)))
        }
        return processID
    }

    /// Starts the program and waits for its end.
    ///
    /// - Returns: its exit code; nil if a signal ended it.
    /// - Throws: `.stop(.unavailable)` if it can't be started.
    func run() throws(Fault) -> Int32? {
        exitCode(of: try start())
    }
}

/// Waits for a child's end; nil if a signal ended it.
@discardableResult
func exitCode(of processID: pid_t) -> Int32? {
    var status: Int32 = 0
    while waitpid(processID, &status, 0) == -1 {
        guard errno == EINTR else { return nil }
    }
    // What WIFEXITED and WEXITSTATUS, macros that Swift can't see, do.
    return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
}
