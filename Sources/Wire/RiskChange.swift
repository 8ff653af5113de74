package import AppAttest

/// That Apple tells another risk metric of a key than before: a record of the risk topic.
///
/// The same change may be published more than once, with the same bytes and the same `ce_id`.
/// Source: CloudEvents 1.0.2, "Kafka Protocol Binding" §3.2 (binary mode).
package struct RiskChange: Hashable, Sendable {
    /// The CloudEvents type.
    package static let eventType = "attest.risk.changed.v1"

    /// The key.
    package var keyID: KeyID
    /// Its app.
    package var appID: String
    /// Its environment.
    package var environment: AttestationEnvironment
    /// The owner the key is bound to.
    package var subject: String?
    /// About how many keys the device made for the app in 30 days, by Apple's newest receipt.
    package var metric: UInt32
    /// What the topic was told before; nil at first.
    package var previousMetric: UInt32?
    /// When Apple made the receipt that tells it.
    package var asOf: Instant

    /// A change from its parts.
    package init(
        keyID: KeyID, appID: String, environment: AttestationEnvironment, subject: String?,
        metric: UInt32, previousMetric: UInt32?, asOf: Instant
    ) {
        self.keyID = keyID
        self.appID = appID
        self.environment = environment
        self.subject = subject
        self.metric = metric
        self.previousMetric = previousMetric
        self.asOf = asOf
    }

    /// The change as JSON: names sorted, no white space, absent what is not known.
    package func encode() -> [UInt8] {
        var object = JSONWriter()
        object.add("appId", appID)
        object.add("asOf", asOf.riskText)
        object.add("environment", environment.rawValue)
        object.add("keyId", keyID.text)
        object.add("metric", metric)
        object.add("previousMetric", previousMetric)
        object.add("subject", subject)
        return object.close()
    }

    /// The record's key: the key id as base64 text.
    package var recordKey: [UInt8] { Array(keyID.text.utf8) }

    /// The record's headers.
    ///
    /// - Parameter consumerGroup: the group's name; of all workers the same, so that repeats are
    ///   equal.
    /// - Returns: the attributes of the event.
    package func headers(consumerGroup: String) -> [Header] {
        [
            Header(name: "ce_specversion", text: "1.0"),
            Header(name: "ce_id", text: "\(keyID.text) \(asOf.milliseconds) \(metric)"),
            Header(name: "ce_source", text: "//attest-worker/\(URIText.segment(consumerGroup))"),
            Header(name: "ce_type", text: Self.eventType),
            Header(name: "ce_subject", text: keyID.text),
            Header(name: "content-type", text: "application/json"),
        ]
    }
}
