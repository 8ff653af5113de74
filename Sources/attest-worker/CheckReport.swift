import Worker

/// What `check` found: a line each, and the exit code that follows.
struct CheckReport {
    /// Something that is not as it must be.
    struct Failure: Error, Hashable {
        /// The code the process would end with for this alone.
        let code: ExitCode
        /// What is wrong and what to do.
        let message: String

        /// A failure from its parts.
        init(_ code: ExitCode, _ message: String) {
            self.code = code
            self.message = message
        }

        /// A fault met while looking.
        init(_ fault: Fault) {
            self.init(fault.exitCode, fault.description)
        }
    }

    private var lines: [String] = []
    private var codes: [ExitCode] = []

    /// Notes a result under the name of what was looked at.
    mutating func add(_ name: String, _ result: Result<String, Failure>) {
        switch result {
        case .success(let message):
            lines.append("ok    \(name): \(message)")
        case .failure(let failure):
            lines.append("FAIL  \(name): \(failure.message)")
            codes.append(failure.code)
        }
    }

    /// Notes something that needs a look and stops nothing.
    mutating func warn(_ name: String, _ message: String) {
        lines.append("warn  \(name): \(message)")
    }

    /// The lines, each with a newline.
    var text: String {
        lines.map { $0 + "\n" }.joined()
    }

    /// Success, or the gravest failure's code: what no restart heals comes first.
    var exitCode: ExitCode {
        let gravity: [ExitCode] = [
            .config, .noPermission, .incompatible, .fenced, .unavailable, .software,
        ]
        return gravity.first(where: codes.contains) ?? codes.first ?? .success
    }
}
