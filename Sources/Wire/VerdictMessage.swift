package import AppAttest

/// A verdict as a record of the verdict topic: key, value and headers.
///
/// It is made from the verdict's bytes, not from a ``Verdict``: a request that was decided before
/// is answered with the bytes that were stored then, and both ways must give the same record but
/// for `attest-redelivered` and `traceparent`.
///
/// Source: CloudEvents 1.0.2, "Kafka Protocol Binding" §3.2 (binary mode).
package struct VerdictMessage: Hashable, Sendable {
    /// The CloudEvents type of a verdict.
    package static let eventType = "attest.verdict.decided.v1"
    /// The header that tells a repetition from the first emission.
    package static let redeliveredHeader = "attest-redelivered"

    /// The key id as base64 text in UTF-8; nil where the request named none, and then any partition
    /// takes the record.
    package let key: [UInt8]?
    /// The verdict's JSON.
    package let value: [UInt8]
    /// CloudEvents attributes, the request's trace context and correlation, and the repetition
    /// mark.
    package let headers: [Header]

    /// The record of a verdict, new or from the inbox.
    ///
    /// - Parameters:
    ///   - verdict: the bytes of ``Verdict/encode()``, or as the inbox has them.
    ///   - verdictID: the verdict's identity, which follows from the request's.
    ///   - keyID: the key that the request named.
    ///   - requestHeaders: the headers of the request's record.
    ///   - trace: the trace that the verdict goes on with, if the request has one.
    ///   - isRedelivered: whether the verdict was decided before.
    ///   - consumerGroup: the group's name; of all instances the same, so that repeats are equal.
    /// - Returns: the record but for its topic.
    package static func record(
        verdict: [UInt8], verdictID: VerdictID, keyID: KeyID?, requestHeaders: [Header],
        trace: RequestTrace?, isRedelivered: Bool, consumerGroup: String
    ) -> VerdictMessage {
        let keyText = keyID?.text
        let key = keyText.map { Array($0.utf8) }
        var headers: [Header] = []
        headers.reserveCapacity(usualHeaderCount)
        headers.append(specVersion)
        headers.append(Header(name: "ce_id", text: verdictID.text))
        headers.append(
            Header(name: "ce_source", text: "//attest-worker/\(URIText.segment(consumerGroup))"))
        headers.append(type)
        if let key { headers.append(Header(name: "ce_subject", value: key)) }
        headers.append(contentType)
        headers += CorrelationHeaders.following(requestHeaders, trace: trace)
        if isRedelivered { headers.append(Header(name: redeliveredHeader, text: "1")) }
        return VerdictMessage(key: key, value: verdict, headers: headers)
    }

    // What is the same in all verdicts, made once.
    private static let usualHeaderCount = 9
    private static let specVersion = Header(name: "ce_specversion", text: "1.0")
    private static let type = Header(name: "ce_type", text: eventType)
    private static let contentType = Header(name: "content-type", text: "application/json")
}
