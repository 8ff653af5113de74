internal import AppAttest
internal import LibCrypto
package import Wire

/// The id that a request goes by on the topics.
package enum RequestIdentity {
    /// The header by which a caller repeats a request, in lower case.
    package static let header = "idempotency-key"
    /// The most bytes of its value.
    package static let keyBytesMax = 256

    /// A new id: 128 random bits, in hexadecimal.
    ///
    /// - Parameter word: gives 64 random bits.
    /// - Returns: an id that nobody can guess.
    package static func random(_ word: () -> UInt64) -> RequestID {
        let bytes = [word(), word()].flatMap { word in
            stride(from: 56, through: 0, by: -8).map {
                UInt8(truncatingIfNeeded: word >> UInt64($0))
            }
        }
        return id("", bytes)
    }

    /// The id of a request that may be repeated.
    ///
    /// Of two with one idempotency key it is the same if they come from one caller, go to one path
    /// and speak of one key. So no caller meets another's answers.
    ///
    /// - Parameters:
    ///   - key: the header's value.
    ///   - caller: who asks.
    ///   - path: as it was sent.
    ///   - message: what is asked.
    /// - Returns: an id that follows from all of these.
    /// - Throws: 400 where the header's value is empty or too long.
    package static func derived(
        from key: String, _ caller: Caller, path: String, _ message: ClientMessage
    ) throws(Refusal) -> RequestID {
        guard (1...keyBytesMax).contains(key.utf8.count) else {
            throw Refusal(
                .invalidArgument, "idempotency_key_invalid",
                "Idempotency-Key must have 1 to \(keyBytesMax) bytes")
        }
        var bytes: [UInt8] = []
        let parts = [
            Array("\(caller.standing) \(caller.name)".utf8), Array(path.utf8),
            message.keyID?.digest.bytes ?? [], Array(key.utf8),
        ]
        for part in parts {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: part.count >> shift))
            }
            bytes += part
        }
        return id("i-", SHA256.hash(bytes).bytes)
    }

    private static func id(_ prefix: String, _ bytes: [UInt8]) -> RequestID {
        let text = bytes.map { byte in
            (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        guard let id = RequestID(prefix + text) else {
            preconditionFailure("hexadecimal digits are a request id")
        }
        return id
    }
}
