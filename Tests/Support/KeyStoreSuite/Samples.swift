package import AppAttest
package import LibCrypto
internal import Wire
package import Worker

/// Made-up rows; a number tells one from the other.
package enum Sample {
    /// A partition of one of two topics.
    package static func partition(_ number: Int32, topic: String = "requests") -> TopicPartition {
        TopicPartition(topic: topic, partition: number)
    }

    /// A key id.
    package static func keyID(_ number: Int) -> KeyID {
        KeyID(digest("key", number))
    }

    /// A request.
    package static func request(_ number: Int) -> RequestIdentity {
        RequestIdentity(digest("request", number))
    }

    /// A request, decided.
    package static func entry(_ number: Int) -> InboxEntry {
        InboxEntry(
            identity: request(number), contentDigest: digest("content", number),
            verdict: Array("{\"number\":\(number)}".utf8))
    }

    /// A request of a key, decided, with an owner and a version in its verdict.
    package static func verdict(_ number: Int, key: Int) -> InboxEntry {
        var entry = entry(number)
        var verdict = Verdict(
            verdictID: VerdictID(digest("verdict", number)), outcome: .accepted,
            source: RecordPlace(topic: "requests", partition: 0, offset: Int64(number)))
        verdict.requestID = RequestID("request \"keyId\":\" \(number)")
        verdict.kind = .assertion
        verdict.keyID = keyID(key)
        verdict.appID = "TEAMID1234.org.example.app"
        verdict.subject = "owner of \(key)"
        verdict.bundleVersion = "\"keyId\":\"\(keyID(key + 1).text)"
        entry.verdict = verdict.encode()
        return entry
    }

    /// An attested key whose public key has the right size and nothing else.
    package static func registration(
        _ number: Int, signCount: UInt32 = 0, subject: String? = "subject",
        status: KeyStatus = .active
    ) -> KeyRegistration {
        let half = digest("point", number).bytes
        let point = status == .erased ? [] : [4] + half + half
        let day = status == .erased ? nil : Day(Instant(milliseconds: 1_700_000_000_123))
        return KeyRegistration(
            key: StoredKey(
                keyID: keyID(number), appID: "TEAMID1234.org.example.app",
                environment: .production, publicKey: point, signCount: signCount,
                subject: subject, status: status,
                attestedBy: number.isMultiple(of: 2) ? .apple : .simulated,
                certificate: status == .erased || number.isMultiple(of: 3)
                    ? nil : CertificateSerial(digest("serial", number).bytes.prefix(8)),
                attestedOn: day, lastUsedOn: day,
                reattested: status == .erased ? nil : false),
            receipt: Array("receipt \(number)".utf8), platform: "iphoneos", osVersion: "18.1",
            attestedAt: Instant(milliseconds: 1_700_000_000_123))
    }

    /// A digest of a kind and a number.
    package static func digest(_ kind: String, _ number: Int) -> Digest32 {
        SHA256.hash(Array("\(kind) \(number)".utf8))
    }
}
