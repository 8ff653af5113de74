import AppAttest
import FoundationEssentials
import Wire
import Worker

/// A key as the `keys` commands print it: one JSON object a line, or text.
struct KeyReport: Encodable {
    var keyId: String
    var appId: String
    var environment: String
    var status: String
    var attestedBy: String
    var signCount: UInt32
    var subject: String?
    var publicKey: String?
    var certificate: String?
    var registeredAt: String
    var attestedAt: String?
    /// The day of the last accepted request, in UTC.
    var lastUsedOn: String?
    var platform: String?
    var osVersion: String?
    var receiptBytes: Int?
    var receiptCreatedAt: String?
    var receiptExpiresAt: String?
    var riskMetric: UInt32?
    var riskAsOf: String?
    var seenOn: String?
    var lastRefresh: String?
    var nextRefresh: String?
    var refreshEnded: String?
    var withdrawnAt: String?
    var withdrawnBy: String?
    var reason: String?
    var movedAt: String?
    var movedBy: String?
    var moveReason: String?

    /// A report on a stored key.
    init(_ record: KeyRecord) {
        let key = record.key
        keyId = key.keyID.text
        appId = key.appID
        environment = key.environment.rawValue
        status = key.status.rawValue
        attestedBy = key.attestedBy.rawValue
        signCount = key.signCount
        subject = key.subject
        publicKey = key.publicKey.isEmpty ? nil : Base64.encode(key.publicKey)
        certificate = key.certificate?.bytes.hexadecimal
        registeredAt = record.registeredAt.rfc3339
        attestedAt = record.attestation?.at.rfc3339
        lastUsedOn = key.lastUsedOn.map { String($0.start.rfc3339.prefix(10)) }
        platform = record.attestation?.platform
        osVersion = record.attestation?.osVersion
        receiptBytes = record.attestation?.receiptBytes
        if let refresh = record.refresh {
            receiptCreatedAt = refresh.createdAt.rfc3339
            receiptExpiresAt = refresh.expiresAt.rfc3339
            riskMetric = refresh.metric
            riskAsOf = refresh.metricAsOf?.rfc3339
            seenOn = String(
                Instant(seconds: Int64(refresh.seenOn) * 86_400).rfc3339.prefix(10))
            lastRefresh = refresh.lastResult
            nextRefresh = refresh.nextAttempt?.rfc3339
            refreshEnded = refresh.end?.rawValue
        }
        withdrawnAt = record.withdrawal?.at.rfc3339
        withdrawnBy = record.withdrawal?.by
        reason = record.withdrawal?.reason
        movedAt = record.lastMove?.at.rfc3339
        movedBy = record.lastMove?.by
        moveReason = record.lastMove?.reason
    }

    /// A line for each thing that is known.
    var text: String {
        let fields: [(String, String?)] = [
            ("key", keyId), ("app", appId), ("environment", environment), ("status", status),
            ("since", withdrawnAt), ("by", withdrawnBy), ("reason", reason),
            ("attested by", attestedBy), ("sign count", "\(signCount)"), ("subject", subject),
            ("public key", publicKey), ("certificate", certificate),
            ("registered", registeredAt), ("attested", attestedAt),
            ("last used on", lastUsedOn),
            ("platform", platform), ("OS version", osVersion),
            ("moved", movedAt), ("moved by", movedBy), ("moved for", moveReason),
            ("receipt", receiptBytes.map { "\($0) bytes" }), ("newest", receiptCreatedAt),
            ("expires", receiptExpiresAt), ("risk metric", riskMetric.map { "\($0)" }),
            ("as of", riskAsOf), ("seen on", seenOn), ("last refresh", lastRefresh),
            ("next refresh", nextRefresh), ("given up", refreshEnded),
        ]
        return fields.map { name, value in
            guard let value else { return "" }
            let padding = String(repeating: " ", count: 13 - name.count)
            return "\(name):\(padding)\(printable(value))\n"
        }.joined()
    }
}

/// What became of a key, as `revoke`, `move` and `erase` print it.
struct KeyOutcomeReport: Encodable {
    var keyId: String
    /// `changed`, `unchanged`, `moved`, `other_app` or `unknown`.
    var outcome: String
    var status: String?
    var dryRun: Bool?

    /// A report on one key.
    init(_ keyID: KeyID, _ outcome: KeyChangeOutcome, isDryRun: Bool) {
        keyId = keyID.text
        dryRun = isDryRun ? true : nil
        switch outcome {
        case .changed(let status):
            self.outcome = "changed"
            self.status = status.rawValue
        case .unchanged(let status):
            self.outcome = "unchanged"
            self.status = status.rawValue
        case .moved: self.outcome = "moved"
        case .ownedBefore:
            self.outcome = "unchanged"
            self.status = KeyStatus.active.rawValue
        case .ofOtherApp: self.outcome = "other_app"
        case .unknown: self.outcome = "unknown"
        }
    }

    /// One line.
    var text: String {
        let what =
            switch outcome {
            case "changed": "\(dryRun == true ? "would be" : "is now") \(status ?? "")"
            case "moved": "\(dryRun == true ? "would belong" : "belongs now") to the subject"
            case "unchanged": "was \(status ?? "") before"
            case "other_app": "belongs to another app"
            default: "is not known"
            }
        return "\(keyId) \(what)\n"
    }
}

extension Encodable {
    /// One line of JSON, names sorted.
    func jsonLine() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
}
