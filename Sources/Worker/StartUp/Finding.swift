/// One thing that was looked at before the lanes start: what it is, what it must be, what to do.
package struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// How much it matters.
    package enum Weight: Hashable, Sendable {
        /// It is as it must be.
        case fine
        /// It needs a look, and stops nothing.
        case warning
        /// It must not be so: the code that the process ends with.
        case error(ExitCode)
    }

    /// How much it matters.
    package let weight: Weight
    /// What was looked at: "retention.ms of attest.requests.v1".
    package let subject: String
    /// What was found, with its unit.
    package let found: String
    /// What is needed, with its unit; empty where all is well.
    package let needed: String
    /// What to do about it; empty where all is well.
    package let remedy: String

    /// A finding of something wrong from its parts.
    package init(
        _ weight: Weight, _ subject: String, found: String, needed: String, remedy: String
    ) {
        self.weight = weight
        self.subject = subject
        self.found = found
        self.needed = needed
        self.remedy = remedy
    }

    /// Something that is as it must be.
    ///
    /// - Returns: the finding.
    package static func fine(_ subject: String, _ found: String) -> Finding {
        Finding(.fine, subject, found: found, needed: "", remedy: "")
    }

    /// Something that can't be had or is refused, in one sentence.
    ///
    /// - Returns: the finding.
    package static func failure(
        _ subject: String, _ code: ExitCode, _ sentence: String
    ) -> Finding {
        Finding(.error(code), subject, found: sentence, needed: "", remedy: "")
    }

    /// A fault met while looking.
    ///
    /// - Returns: the finding.
    package static func failure(_ subject: String, _ fault: Fault) -> Finding {
        failure(subject, fault.exitCode, fault.description)
    }

    /// What was found, what is needed and what to do, in one line.
    package var description: String {
        needed.isEmpty ? found : "\(found); needed: \(needed); \(remedy)"
    }
}

extension [Finding] {
    /// Success, or the code of the gravest error: what no restart heals comes first.
    package var exitCode: ExitCode {
        errors.min { $0.gravity < $1.gravity } ?? .success
    }

    /// The code that `run` ends with before any lane starts; nil if it may start.
    ///
    /// What can't be reached is no reason: the lanes wait for it.
    package var exitCodeOfRun: ExitCode? {
        errors.filter { $0 != .unavailable }.min { $0.gravity < $1.gravity }
    }

    private var errors: [ExitCode] {
        compactMap { finding in
            switch finding.weight {
            case .error(let code): code
            case .fine, .warning: nil
            }
        }
    }
}

extension Fault {
    /// How a command that does one thing ends by this fault: it does not wait for better times.
    package var exitCode: ExitCode {
        switch disposition {
        case .stop(let code): code
        case .retry: .unavailable
        case .fenced: .fenced
        case .poison: .software
        }
    }
}

extension ExitCode {
    /// Its place among codes of several errors: what no restart heals comes first.
    fileprivate var gravity: Int {
        switch self {
        case .config: 0
        case .noPermission: 1
        case .incompatible: 2
        case .fenced: 3
        case .unavailable: 4
        case .software: 5
        case .success, .negative, .usage, .drainDeadline, .interrupted: 6
        }
    }
}
