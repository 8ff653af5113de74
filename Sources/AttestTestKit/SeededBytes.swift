import LibCrypto

/// Bytes that follow from a seed and a label: the only randomness of the kit.
///
/// Whoever knows the seed, and the secret where there is one, knows every key.
struct SeededBytes {
    private let seed: UInt64
    private let secret: [UInt8]

    /// - Parameters:
    ///   - seed: a number.
    ///   - secret: what has to be known beside it; empty for nothing.
    init(seed: UInt64, secret: [UInt8] = []) {
        self.seed = seed
        self.secret = secret
    }

    /// As many bytes as asked for; another label gives bytes that have nothing to do with these.
    func bytes(_ label: String, count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var block: UInt64 = 0
        while bytes.count < count {
            bytes +=
                SHA256.hash(
                    secret, seed.bigEndianBytes, block.bigEndianBytes, Array(label.utf8)
                ).bytes
            block += 1
        }
        return Array(bytes.prefix(count))
    }

    /// A key; the same seed, label and curve give the same one.
    func key(_ label: String, _ curve: EllipticCurve) -> ECPrivateKey {
        var attempt = 0
        while true {
            let scalar = bytes("\(label), attempt \(attempt)", count: curve.scalarByteCount)
            if let key = ECPrivateKey(scalar: scalar, curve: curve) { return key }
            attempt += 1
        }
    }
}
