/// Secrets that authenticate what a server hands out and gets back: the first one makes codes, all
/// of them are accepted.
///
/// To rotate, put the new secret first and keep the old one until all it has authenticated has
/// expired. Its texts never tell the secrets.
public struct SecretKeyRing: Hashable, Sendable {
    /// The fewest bytes of a secret: as many as its codes have.
    public static let secretByteCountMin = 32
    /// The most bytes of a secret.
    public static let secretByteCountMax = 1024
    /// The most secrets: one in use, and those that are on their way out.
    public static let secretCountMax = 4

    let current: [UInt8]
    let previous: [[UInt8]]

    /// A ring of secrets; nil where a secret is too short or too long, where two are the same, or
    /// where there are too many.
    ///
    /// - Parameters:
    ///   - current: makes codes.
    ///   - previous: are accepted besides, up to ``secretCountMax`` less one.
    public init?(current: [UInt8], previous: [[UInt8]] = []) {
        let secrets = [current] + previous
        guard secrets.count <= Self.secretCountMax, Set(secrets).count == secrets.count,
            secrets.allSatisfy({
                (Self.secretByteCountMin...Self.secretByteCountMax).contains($0.count)
            })
        else { return nil }
        self.current = current
        self.previous = previous
    }
}

extension SecretKeyRing: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of secrets, none of them told.
    public var description: String { "SecretKeyRing of \(1 + previous.count)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Has no children, so that `dump` tells no secret either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
