internal import LibCrypto

/// The intermediate certificates whose chain to an anchor was verified before: a bounded cache.
///
/// Every device of a time has the same intermediate, and verifying the root's signature on it costs
/// as much as all the rest of an attestation. An entry spares that one signature. Everything
/// else, validity at the given moment included, is checked for each attestation as if there were no
/// cache, so that it can change no verdict.
///
/// It is a value: give one to each thread that verifies, and keep it between attestations. A forger
/// can put nothing in: an entry is made only after a whole chain was verified.
public struct VerifiedIntermediates: Sendable {
    /// The number of entries that is kept unless told otherwise; Apple has one intermediate now.
    public static let defaultCountMax = 16

    /// The most entries.
    public let countMax: Int

    private struct Key: Hashable {
        let intermediate: Digest32
        let anchor: TrustAnchor
    }

    private var entries: [Key: VouchedIntermediate] = [:]
    /// The keys of the entries, oldest first.
    private var order: [Key] = []

    /// An empty cache.
    ///
    /// - Parameter countMax: the most entries; with 0 every chain is verified whole.
    public init(countMax: Int = defaultCountMax) {
        self.countMax = max(0, countMax)
    }

    /// The number of entries.
    public var count: Int {
        entries.count
    }

    /// Reads a certificate, or takes the one that was read from the same bytes before.
    ///
    /// Reading costs 145 µs, most of it for the key (OpenSSL 3.0); hashing its 583 bytes costs 1
    /// µs.
    func certificate(der: [UInt8]) -> Certificate? {
        let fingerprint = SHA256.hash(der)
        let known = entries.first { $0.key.intermediate == fingerprint }
        return known?.value.intermediate ?? Certificate(der: der)
    }

    /// Verifies leaf ← intermediate ← anchor, and keeps the intermediate when it was not known.
    mutating func verify(
        _ leaf: Certificate, _ intermediate: Certificate, _ anchor: TrustAnchor,
        at seconds: Int64
    ) throws(ChainFailure) {
        if let vouched = vouched(intermediate.fingerprint, by: anchor) {
            try CertificateChain.verify(leaf: leaf, through: vouched, at: seconds)
        } else {
            let vouched = try CertificateChain.verify(
                leaf: leaf, intermediate: intermediate, anchor: anchor.certificate, at: seconds)
            keep(vouched, by: anchor)
        }
    }

    /// The intermediate with this SHA-256 of its DER, where that anchor vouched for it.
    func vouched(_ fingerprint: Digest32, by anchor: TrustAnchor) -> VouchedIntermediate? {
        entries[Key(intermediate: fingerprint, anchor: anchor)]
    }

    /// Keeps an intermediate; the oldest entry goes when there is no room.
    mutating func keep(_ vouched: VouchedIntermediate, by anchor: TrustAnchor) {
        let key = Key(intermediate: vouched.intermediate.fingerprint, anchor: anchor)
        guard countMax > 0, entries[key] == nil else { return }
        if entries.count == countMax {
            entries[order.removeFirst()] = nil
        }
        entries[key] = vouched
        order.append(key)
    }
}
