internal import LibCrypto

/// Bytes with a code behind them that only the holder of a secret can make: HMAC-SHA-256 over a
/// label, the bytes, and what the code is bound to besides.
///
/// The label keeps what was made for one use from passing as another.
struct AuthenticatedBytes {
    /// The number of bytes of the code.
    static let codeByteCount = Digest32.byteCount

    /// Names the use and its version; no label may be the beginning of another.
    let label: StaticString
    /// How many bytes stand before the code; fixed for each label, so that the parts of the
    /// authenticated message can't be divided otherwise.
    let bodyByteCount: Int

    /// The bytes with their code.
    func sealed(_ body: [UInt8], boundTo context: [UInt8], by secrets: SecretKeyRing) -> [UInt8] {
        precondition(body.count == bodyByteCount, "the body of a label has one length")
        return body + code(body, context, secrets.current).bytes
    }

    /// The bytes before the code; nil where no secret of the ring made it.
    func opened(
        _ sealed: [UInt8], boundTo context: [UInt8], by secrets: SecretKeyRing
    ) -> [UInt8]? {
        guard sealed.count == bodyByteCount + Self.codeByteCount,
            let given = Digest32(sealed.suffix(Self.codeByteCount))
        else { return nil }
        let body = Array(sealed.prefix(bodyByteCount))
        let isGenuine = ([secrets.current] + secrets.previous).contains {
            code(body, context, $0) == given
        }
        return isGenuine ? body : nil
    }

    private func code(_ body: [UInt8], _ context: [UInt8], _ secret: [UInt8]) -> Digest32 {
        HMACSHA256.code(for: Array(label.description.utf8) + body + context, key: secret)
    }
}

extension Instant {
    /// The milliseconds in eight bytes, most significant first, two's complement.
    var bigEndianBytes: [UInt8] {
        let bits = UInt64(bitPattern: milliseconds)
        return stride(from: 56, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: bits >> UInt64($0))
        }
    }

    /// The moment that such bytes stand for.
    init(bitPattern bits: UInt64) {
        self.init(milliseconds: Int64(bitPattern: bits))
    }
}
