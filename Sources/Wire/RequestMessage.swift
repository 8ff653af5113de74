internal import AppAttest
internal import LibCrypto

/// A record of a request topic, as far as it is a message.
///
/// The way is always the same: take the envelope off, tell the dialect, read its fields. Whatever
/// is a JSON object gets an answer, with as much of request id, kind, key and subject as can be
/// told; only what holds no object can't be answered.
package enum RequestMessage {
    /// Tells what a record holds.
    ///
    /// - Parameters:
    ///   - value: the record's value; nil is Kafka's null.
    ///   - headers: the record's headers, of which `content-type` and those of CloudEvents count.
    ///   - limits: how large the message and its parts may be.
    /// - Returns: a request, a refusal, or that nothing can be read.
    package static func decode(
        value: [UInt8]?, headers: [Header], limits: MessageLimits
    ) -> DecodedRecord {
        guard let value, !value.isEmpty else { return .unreadable(.emptyValue) }
        guard value.count <= limits.valueBytesMax else { return .unreadable(.valueTooLarge) }
        let envelope: Envelope
        do {
            envelope = try Envelope(value: value, headers: headers, limits: limits)
        } catch {
            return .unreadable(error)
        }
        do {
            return try message(envelope, limits: limits)
        } catch {
            return .unjudgeable(refusal(envelope, because: error, digest: SHA256.hash(value)))
        }
    }

    private static func message(
        _ envelope: Envelope, limits: MessageLimits
    ) throws(RequestProblem) -> DecodedRecord {
        if let flaw = envelope.flaw { throw .malformed(flaw.detail) }
        let fields = RequestFields(envelope.body)
        let requestID = try requestID(envelope)
        if let service = try ServiceRequest(fields, requestID: requestID) {
            try check(envelope, isOf: service.kind)
            return .service(service)
        }
        return .request(try request(envelope, fields, requestID, limits: limits))
    }

    private static func check(
        _ envelope: Envelope, isOf kind: RequestKind
    ) throws(RequestProblem) {
        guard envelope.announcedKinds.allSatisfy({ $0 == kind }) else {
            throw .malformed("the event's type is of another kind than the fields")
        }
    }

    private static func request(
        _ envelope: Envelope, _ fields: RequestFields, _ requestID: RequestID?,
        limits: MessageLimits
    ) throws(RequestProblem) -> Request {
        if let format = try fields.text("format"), format != "apple-app-attest" {
            throw .unsupported("format is not apple-app-attest")
        }
        let dialect = try Dialect(of: fields)
        let content = try dialect.content(fields, limits: limits)
        try check(envelope, isOf: content.kind)
        var request = Request(
            requestID: requestID, kind: content.kind, keyID: content.keyID, object: content.object,
            clientDataHash: content.clientDataHash, appID: try fields.label("appId"),
            subject: try fields.label("subject"))
        request.clientData = content.clientData
        request.artifact = content.artifact
        request.isAppCheck = dialect == .appCheck
        request.isForLimitedUse = try fields.flag("limitedUse", orSpelled: "limited_use")
        return request
    }

    /// The one id that the message gives, in whatever places.
    ///
    /// Two ids that differ are none: a phone that can slip a field into what the gateway passes on
    /// must not have another request answered.
    private static func requestID(_ envelope: Envelope) throws(RequestProblem) -> RequestID? {
        var texts = envelope.ids
        if let text = try RequestFields(envelope.body).text("requestId") { texts.append(text) }
        var found: RequestID?
        for text in texts {
            guard let id = text.flatMap({ RequestID($0) }) else {
                throw .malformed("the request id is empty, too long or has control characters")
            }
            guard found == nil || found == id else {
                throw .malformed("the request id and the event's id differ")
            }
            found = id
        }
        return found
    }

    private static func refusal(
        _ envelope: Envelope, because problem: RequestProblem, digest: Digest32
    ) -> UnjudgeableRequest {
        let fields = RequestFields(envelope.body)
        return UnjudgeableRequest(
            requestID: try? requestID(envelope), kind: apparentKind(envelope),
            keyID: apparentKeyID(fields), subject: try? fields.label("subject"),
            reason: problem.reason, detail: problem.detail, digest: digest)
    }

    /// The kind that all signs agree on; nil where they don't, or where there are none.
    private static func apparentKind(_ envelope: Envelope) -> RequestKind? {
        let fields = RequestFields(envelope.body)
        var kinds = envelope.announcedKinds
        if let kind = ServiceRequest.kind(fields) { return kinds.isSubset(of: [kind]) ? kind : nil }
        let isRegistration = ["attestation", "attestationStatement", "attestation_statement"]
            .contains(where: fields.has)
        let isAssertion = ["assertion", "artifact", "payload"].contains(where: fields.has)
        if isRegistration { kinds.insert(.registration) }
        if isAssertion { kinds.insert(.assertion) }
        // App Check's assertions have a challenge too.
        if fields.has("challenge"), !isAssertion { kinds.insert(.registration) }
        return kinds.count == 1 ? kinds.first : nil
    }

    private static func apparentKeyID(_ fields: RequestFields) -> KeyID? {
        let names = ["keyId", "key_id"].filter(fields.has)
        guard let name = names.first, names.count == 1 else { return nil }
        return try? fields.keyID(name)
    }
}
