/// How many keys one owner may register within a time.
package struct KeysPerSubject: Hashable, Sendable {
    /// The most keys of one owner that one app may allow, and that are read to count them.
    package static let keysMaxMax = 1000

    /// So many; 0: as many as they like.
    package var keysMax = 0
    /// Within this time before the registration.
    package var within: Duration = .seconds(30 * 86_400)
    /// What becomes of one more.
    package var enforcement = Enforcement.enforce

    /// The defaults: no limit.
    package init() {}
}
