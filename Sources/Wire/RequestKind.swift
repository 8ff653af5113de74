/// What kind of request a message is.
package enum RequestKind: String, Hashable, Sendable, CaseIterable {
    /// An attestation: registers a key.
    case registration
    /// An assertion: made by a registered key.
    case assertion
    /// Asks for a challenge.
    case challenge
    /// Uses up a token for limited use.
    case consume
}
