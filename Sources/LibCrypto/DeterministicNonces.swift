/// The candidates for a signature's secret number that RFC 6979, section 3.2, prescribes.
///
/// They follow from key and digest alone, so the same message has the same signature each time.
struct DeterministicNonces {
    private let hash: HashFunction
    private let byteCount: Int
    private var key: [UInt8]
    private var value: [UInt8]

    /// Steps b to g.
    ///
    /// - Parameters:
    ///   - hash: the hash function behind HMAC.
    ///   - scalar: the private key, as many bytes as the order of the group has.
    ///   - reducedDigest: the digest modulo the order, as many bytes.
    init(hash: HashFunction, scalar: [UInt8], reducedDigest: [UInt8]) {
        self.hash = hash
        byteCount = scalar.count
        key = [UInt8](repeating: 0x00, count: hash.byteCount)
        value = [UInt8](repeating: 0x01, count: hash.byteCount)
        for separator: UInt8 in [0x00, 0x01] {
            key = hash.authenticationCode(
                of: value + [separator] + scalar + reducedDigest, key: key)
            value = hash.authenticationCode(of: value, key: key)
        }
    }

    /// Step h: the next candidate; the caller refuses what is 0 or not below the order.
    mutating func next() -> [UInt8] {
        var candidate: [UInt8] = []
        while candidate.count < byteCount {
            value = hash.authenticationCode(of: value, key: key)
            candidate += value
        }
        return Array(candidate.prefix(byteCount))
    }

    /// The end of step h: what to do before ``next()`` when a candidate was refused.
    mutating func refuse() {
        key = hash.authenticationCode(of: value + [0x00], key: key)
        value = hash.authenticationCode(of: value, key: key)
    }
}
