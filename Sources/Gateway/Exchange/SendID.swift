package import Wire

/// What tells one sent record from all others, also from those of the same request.
///
/// A worker copies it from a request's headers to those of its verdict. Whoever waits is answered
/// by the verdict on the record that was sent for them, and by no other: an idempotency key is the
/// same for all who name it, and one of two requests under one id may be a stranger's.
package struct SendID: Hashable, Sendable {
    /// The header that carries it both ways: the correlation id of CloudEvents.
    package static let header = "ce_correlationid"

    private let text: String

    /// An id that nobody can guess.
    ///
    /// - Parameter word: gives 64 random bits.
    init(random word: () -> UInt64) {
        text = RequestIdentity.random(word).text
    }

    /// The id in the headers of a verdict; nil where there is none, or more than one.
    package init?(_ headers: [Header]) {
        guard let text = headers.onlyText(named: Self.header) else { return nil }
        self.text = text
    }

    /// What a request is sent with.
    package var asHeader: Header { Header(name: Self.header, text: text) }
}
