import Harness

/// A record that something is wrong with, and what must become of it.
struct BadRecord: Sendable {
    enum Outcome: Hashable, Sendable {
        /// A verdict.
        case verdict(Expectation)
        /// A dead letter with this code.
        case deadLetter(String)
    }

    let name: String
    let record: SentRecord
    let outcome: Outcome

    init(_ name: String, _ record: SentRecord, _ outcome: Outcome) {
        self.name = name
        self.record = record
        self.outcome = outcome
    }

    init(_ name: String, _ value: [UInt8]?, _ code: String) {
        self.init(name, SentRecord(key: Array("some key".utf8), value: value), .deadLetter(code))
    }

    init(_ name: String, _ message: RawMessage, _ expectation: Expectation) {
        self.init(
            name, SentRecord(key: Array("some key".utf8), value: Array(message.json.utf8)),
            .verdict(expectation))
    }
}
