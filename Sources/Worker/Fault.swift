/// What to do about a fault of the world around the worker.
package enum Disposition: Hashable, Sendable {
    /// It may pass: do the same again after a pause, however long it takes.
    case retry
    /// One row of the batch can't be stored, and never will be: find it, set it aside, go on.
    case poison
    /// This worker no longer owns what it works on: drop it without a word to anyone.
    case fenced
    /// It won't pass by itself: end the process with this code.
    case stop(ExitCode)
}

/// The exit codes of the process.
///
/// Source: sysexits.h, where a name there fits.
package enum ExitCode: Int32, Hashable, Sendable, CaseIterable {
    /// A clean stop; all finished work is committed.
    case success = 0
    /// `verify`, `demo`: the answer is no.
    case negative = 1
    /// A wrong command line. Don't restart.
    case usage = 64
    /// A dependency can't be reached.
    case unavailable = 69
    /// An internal fault, a fatal error of the Kafka client, a dead lane. Restart.
    case software = 70
    /// The schema's version or the topics are not as needed. Don't restart.
    case incompatible = 73
    /// The drain deadline passed; what was left is delivered again. Fine.
    case drainDeadline = 75
    /// Another instance took this one's place. Restart later.
    case fenced = 76
    /// Authentication or authorisation was refused. Don't restart fast.
    case noPermission = 77
    /// The settings are invalid. Don't restart.
    case config = 78
    /// `demo`: a signal ended it before its report.
    case interrupted = 130
}

/// The world is wrong: never a verdict, but a retry or an end.
///
/// ``description`` is safe to log: it holds no byte of a request, no key and no secret.
package struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was being done: "commit offsets", "lock keys".
    package let operation: String
    /// A stable code: an SQLSTATE, a librdkafka error name, or one of ours in snake case.
    package let code: String
    /// What to do about it.
    package let disposition: Disposition
    /// One sentence for a person: what, where, and what to do where that is known.
    package let message: String

    /// A fault from its parts.
    package init(operation: String, code: String, disposition: Disposition, message: String) {
        self.operation = operation
        self.code = code
        self.disposition = disposition
        self.message = message
    }

    /// Operation, code and message.
    package var description: String {
        "\(operation): \(message) [\(code)]"
    }
}
