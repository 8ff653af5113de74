package import AppAttest
package import LibCrypto

/// A request that could be read: the same value whichever dialect it was written in.
package struct Request: Hashable, Sendable {
    /// The gateway's id; nil when it sent none, and then the record's place identifies the request.
    package let requestID: RequestID?
    /// Registration or assertion.
    package let kind: RequestKind
    /// The key the request speaks of; proved only by verification.
    package let keyID: KeyID
    /// The attestation or assertion object, CBOR, not yet parsed.
    package let object: [UInt8]
    /// The bytes the app handed to the device.
    package let clientDataHash: ClientDataHash
    /// The bytes in which the challenge is looked for, where the message has more than their hash:
    /// the client data, without the artifact that App Check's assertions put before it.
    package var clientData: [UInt8]?
    /// The artifact of an App Check assertion; it stands before the challenge in what was signed.
    package var artifact: [UInt8]?
    /// Whether the message is App Check's: its registrations are answered with an artifact.
    package var isAppCheck = false
    /// Whether the token that it is answered with shall be one for limited use.
    package var isForLimitedUse = false
    /// The app the gateway believes it serves; it never selects the app, it can only disagree.
    package let appID: String?
    /// Opaque owner of the key, 1 to 256 bytes of UTF-8.
    package let subject: String?

    /// The most bytes of UTF-8 in ``subject`` and ``appID``.
    package static let textBytesMax = 256

    /// A request from its parts.
    package init(
        requestID: RequestID?, kind: RequestKind, keyID: KeyID, object: [UInt8],
        clientDataHash: ClientDataHash, appID: String?, subject: String?
    ) {
        self.requestID = requestID
        self.kind = kind
        self.keyID = keyID
        self.object = object
        self.clientDataHash = clientDataHash
        self.appID = appID
        self.subject = subject
    }

    /// Whether a text has 1 to `bytesMax` bytes of UTF-8 and no control character (C0, DEL, C1).
    static func isLabel(_ text: String, bytesMax: Int) -> Bool {
        (1...bytesMax).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
            }
    }

    /// SHA-256 over all fields but the id, each with its length before it.
    ///
    /// Two records with one request id are one request exactly when their digests are equal: white
    /// space, field order, base64 alphabet and dialect don't count, content does.
    package var digest: Digest32 {
        // A part only where it is asked for: all others have the digest that they had before there
        // were tokens, and inboxes are full of those.
        Self.digest(kind, parts + (isForLimitedUse ? [Array("limitedUse".utf8)] : []))
    }

    /// The digest that it had before there were tokens, where that is another one.
    package var formerDigest: Digest32? {
        isForLimitedUse ? Self.digest(kind, parts) : nil
    }

    private var parts: [[UInt8]] {
        [
            keyID.digest.bytes, object, clientDataHash.bytes,
            appID.map { Array($0.utf8) } ?? [], subject.map { Array($0.utf8) } ?? [],
        ]
    }

    /// SHA-256 over a kind and parts, each part with its length before it.
    package static func digest(_ kind: RequestKind, _ parts: [[UInt8]]) -> Digest32 {
        var bytes = Array(kind.rawValue.utf8)
        for part in parts {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: UInt64(part.count) >> UInt64(shift)))
            }
            bytes += part
        }
        return SHA256.hash(bytes)
    }
}
