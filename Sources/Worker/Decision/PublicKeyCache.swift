internal import LibCrypto

/// Public keys that were made of their points lately: a fifth of an assertion's time is theirs.
///
/// The point is all that a key is made of, so an entry is right for as long as it lives, whatever
/// becomes of the row. Two generations: what was asked for since the last turn, and what was before
/// it; a key that is asked for again comes along, one that isn't leaves with the second turn.
struct PublicKeyCache {
    /// The most keys that are kept, of both generations.
    static let keysMax = 8192

    private var young: [[UInt8]: P256PublicKey] = [:]
    private var old: [[UInt8]: P256PublicKey] = [:]
    private let keysMax: Int

    /// An empty cache.
    init(keysMax: Int = Self.keysMax) {
        self.keysMax = keysMax
    }

    /// How many keys are kept.
    var count: Int { young.count + old.count }

    /// The key of a point.
    ///
    /// - Parameter x963: 65 bytes, X9.63 uncompressed.
    /// - Returns: nil when they are no point of the curve, which is not remembered.
    mutating func key(x963: [UInt8]) -> P256PublicKey? {
        if let key = young[x963] { return key }
        guard let key = old.removeValue(forKey: x963) ?? P256PublicKey(x963: x963) else {
            return nil
        }
        if young.count >= keysMax / 2 {
            old = young
            young.removeAll(keepingCapacity: true)
        }
        young[x963] = key
        return key
    }
}
