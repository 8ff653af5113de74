import AppAttest
import Wire

/// Something that must not have happened, in words for the person who reads the report.
struct WrongAnswer: Hashable, Sendable, CustomStringConvertible {
    /// What it is about: a request's id and kind, or a key; nil for nothing planned.
    let subject: String?
    /// What had to come.
    let expected: String
    /// What came instead.
    let found: String

    /// A failure of a planned request.
    init(_ request: PlannedRequest, found: String) {
        subject = "\(request.id) (\(request.kind.rawValue))"
        expected = request.expectation.description
        self.found = found
    }

    /// Something that nobody asked for.
    init(unexpected found: String) {
        subject = nil
        expected = "nothing"
        self.found = found
    }

    /// Answers that did not come in time.
    init(overdue found: String) {
        subject = nil
        expected = "an answer"
        self.found = found
    }

    /// A stored key that is not as planned.
    private init(key: KeyID, expected: UInt32?, found: UInt32?) {
        func text(_ signCount: UInt32?) -> String {
            signCount.map { "sign count \($0)" } ?? "no row"
        }
        subject = "key \(key.text)"
        self.expected = text(expected)
        self.found = text(found)
    }

    /// What the database has otherwise than it must.
    ///
    /// - Parameters:
    ///   - stored: sign counts of all keys that were ever named, as the rows have them.
    ///   - planned: sign counts of all keys that must be there.
    /// - Returns: one failure a key, ordered by keys.
    static func differences(
        of stored: [KeyID: UInt32], from planned: [KeyID: UInt32]
    ) -> [WrongAnswer] {
        Set(stored.keys).union(planned.keys).sorted()
            .filter { stored[$0] != planned[$0] }
            .map { WrongAnswer(key: $0, expected: planned[$0], found: stored[$0]) }
    }

    /// One line: `demo-000017 (…): expected …, found …`.
    var description: String {
        (subject.map { $0 + ": " } ?? "") + "expected \(expected), found \(found)"
    }
}
