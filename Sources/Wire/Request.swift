package import AppAttest
package import LibCrypto

/// What kind of object a request carries.
package enum RequestKind: String, Hashable, Sendable, CaseIterable {
    /// An attestation: registers a key.
    case registration
    /// An assertion: made by a registered key.
    case assertion
}

/// A request id as the gateway minted it: 1 to 128 bytes of UTF-8 without control characters.
package struct RequestID: Hashable, Sendable {
    /// The most bytes of UTF-8.
    package static let bytesMax = 128

    /// The text as it was sent.
    package let text: String

    /// Checks the rule; nil when it is broken.
    package init?(_ text: String) {
        guard Request.isLabel(text, bytesMax: Self.bytesMax) else { return nil }
        self.text = text
    }

    /// Equal byte for byte: as strings, two ids of other bytes may be canonically equivalent.
    package static func == (left: RequestID, right: RequestID) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Feeds the bytes to the hasher.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(Array(text.utf8))
    }
}

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
        var bytes = Array(kind.rawValue.utf8)
        for part in [
            keyID.digest.bytes, object, clientDataHash.bytes, appID.map { Array($0.utf8) } ?? [],
            subject.map { Array($0.utf8) } ?? [],
        ] {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: UInt64(part.count) >> UInt64(shift)))
            }
            bytes += part
        }
        return SHA256.hash(bytes)
    }
}

/// A request that is a JSON object but can't be judged: it gets a verdict, not a dead letter.
package struct UnjudgeableRequest: Hashable, Sendable {
    /// The gateway's id, where it could be read.
    package let requestID: RequestID?
    /// Registration or assertion, where it could be told.
    package let kind: RequestKind?
    /// The key id, where it could be read.
    package let keyID: KeyID?
    /// The owner, where it could be read.
    package let subject: String?
    /// Why: `malformed_message` or `unsupported_format`.
    package let reason: WorkerReason
    /// What is wrong, without a byte of the message: safe to log.
    package let detail: String
    /// SHA-256 of the record's value.
    package let digest: Digest32

    /// The refusal from its parts.
    package init(
        requestID: RequestID?, kind: RequestKind?, keyID: KeyID?, subject: String?,
        reason: WorkerReason, detail: String, digest: Digest32
    ) {
        self.requestID = requestID
        self.kind = kind
        self.keyID = keyID
        self.subject = subject
        self.reason = reason
        self.detail = detail
        self.digest = digest
    }
}

/// Why a record has no readable request in it.
///
/// It becomes a dead letter.
package enum UnreadableRecord: String, Error, Hashable, Sendable, CaseIterable {
    /// The value is null or empty.
    case emptyValue = "empty_value"
    /// The value is larger than the limit.
    case valueTooLarge = "value_too_large"
    /// The value is not UTF-8, not JSON, or not a JSON object.
    case notAJSONObject = "not_a_json_object"
    /// The CloudEvents envelope is broken: no `data`, an unknown `specversion` or type.
    case unreadableEnvelope = "unreadable_envelope"
}

/// What a record turned out to be.
package enum DecodedRecord: Hashable, Sendable {
    /// A request to judge.
    case request(Request)
    /// A request that is refused before any judgement.
    case unjudgeable(UnjudgeableRequest)
    /// No request at all.
    case unreadable(UnreadableRecord)
}
