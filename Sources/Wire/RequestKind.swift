/// What kind of object a request carries.
package enum RequestKind: String, Hashable, Sendable, CaseIterable {
    /// An attestation: registers a key.
    case registration
    /// An assertion: made by a registered key.
    case assertion
}
