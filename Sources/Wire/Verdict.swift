package import AppAttest
package import LibCrypto

/// Where a record lies: topic, partition and offset.
package struct RecordPlace: Hashable, Sendable {
    /// The topic's name.
    package let topic: String
    /// The partition's number, from 0.
    package let partition: Int32
    /// The offset, from 0.
    package let offset: Int64

    /// A place from its parts.
    package init(topic: String, partition: Int32, offset: Int64) {
        self.topic = topic
        self.partition = partition
        self.offset = offset
    }
}

/// A verdict's identity: 16 bytes, a fixed function of the request's identity.
package struct VerdictID: Hashable, Sendable {
    /// Lower-case UUID text of 36 characters (version 8, RFC 9562 §5.8).
    package let text: String

    /// The first 16 bytes of a digest, with version and variant set.
    package init(_ digest: Digest32) {
        var bytes = Array(digest.bytes.prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let hex = Array("0123456789abcdef")
        var text = ""
        for (position, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(position) { text.append("-") }
            text.append(hex[Int(byte >> 4)])
            text.append(hex[Int(byte & 0x0F)])
        }
        self.text = text
    }
}

/// What the worker answers to one request.
package struct Verdict: Hashable, Sendable {
    /// Accepted, or rejected with its reason.
    package enum Outcome: Hashable, Sendable {
        /// The object is genuine and the row took it.
        case accepted
        /// The object or the request is refused.
        case rejected(Reason)
    }

    /// The verdict's identity.
    package var verdictID: VerdictID
    /// The gateway's request id, if it sent one.
    package var requestID: RequestID?
    /// Registration or assertion; nil where the message did not tell.
    package var kind: RequestKind?
    /// Accepted or rejected.
    package var outcome: Outcome
    /// The key, where the message named one.
    package var keyID: KeyID?
    /// The app, once it is proved.
    package var appID: String?
    /// The environment of the key, once it is proved.
    package var environment: AttestationEnvironment?
    /// The sign count that the object carries, once it is proved.
    package var signCount: UInt32?
    /// On accepted registrations: whether the key was known before.
    package var reattested: Bool?
    /// Signed validation category of an OS 27 object.
    package var validationCategory: UInt32?
    /// Signed bundle version of an OS 27 object.
    package var bundleVersion: String?
    /// Platform in the credential certificate, `iphoneos` or `macosx`.
    package var platform: String?
    /// OS version in the credential certificate.
    package var osVersion: String?
    /// The owner the request named.
    package var subject: String?
    /// Where the decided record lies.
    package var source: RecordPlace

    /// A verdict with nothing proved yet.
    package init(verdictID: VerdictID, outcome: Outcome, source: RecordPlace) {
        self.verdictID = verdictID
        self.outcome = outcome
        self.source = source
    }
}
