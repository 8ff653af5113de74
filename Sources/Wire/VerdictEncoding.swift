package import AppAttest

extension Verdict {
    /// The verdict as JSON: names sorted, no white space, absent what is not known.
    ///
    /// Equal verdicts have equal bytes; nothing of the time or the place of encoding is in them.
    package func encode() -> [UInt8] {
        // The calls are in the order of the names, so that no sorting is needed.
        var object = JSONWriter()
        object.add("action", outcome.reason?.action)
        object.add("alreadyConsumed", isConsumedBefore == true ? true : nil)
        if kind == .registration, let token {
            object.add("appCheckToken") { inner in
                inner.add("token", token.text)
                inner.add("ttl", lifetime.map(ProtobufDuration.text))
            }
        }
        object.add("appId", appID)
        object.add("artifact", artifact.map(Base64.encode))
        object.add("bundleVersion", bundleVersion)
        object.add("cdHash", cdHash)
        object.add("challenge", challenge.map(Base64.encode))
        object.add("environment", environment?.rawValue)
        object.add("extensionsAnnounced", areExtensionsAnnounced)
        object.add("keyId", keyID?.text)
        object.add("osVersion", osVersion)
        object.add("outOfOrder", isOutOfOrder ? true : nil)
        object.add("outcome", outcome.name)
        object.add("platform", platform)
        object.add("reason", outcome.reason?.code)
        object.add("reattested", reattested)
        object.add("receipt", receipt?.name)
        object.add("receiptReason", receipt?.reason?.rawValue)
        object.add("requestId", requestID?.text)
        object.add("retryable", outcome.reason?.isRetryable)
        if let risk { object.add("risk") { risk.write(to: &$0) } }
        object.add("signCount", signCount)
        object.add("simulated", isSimulated ? true : nil)
        object.add("source") { source.write(to: &$0) }
        object.add("subject", subject)
        if kind != .registration {
            object.add("token", token?.text)
            object.add("ttl", lifetime.map(ProtobufDuration.text))
        }
        object.add("type", kind?.rawValue)
        object.add("validationCategory", validationCategory)
        object.add("verdictId", verdictID.text)
        object.add("wouldReject", wouldReject.map(\.code))
        return object.close()
    }
}

extension Verdict.Outcome {
    /// `accepted` or `rejected`.
    package var name: String {
        switch self {
        case .accepted: "accepted"
        case .rejected: "rejected"
        }
    }

    /// Why it was rejected; nil when it was not.
    package var reason: Reason? {
        switch self {
        case .accepted: nil
        case .rejected(let reason): reason
        }
    }
}

extension Verdict.ReceiptOutcome {
    /// `valid` or `invalid`.
    package var name: String {
        switch self {
        case .valid: "valid"
        case .invalid: "invalid"
        }
    }

    /// Why it is invalid; nil when it is not.
    package var reason: RejectionCode? {
        switch self {
        case .valid: nil
        case .invalid(let reason): reason
        }
    }
}

extension RecordPlace {
    /// Adds the members of a verdict's `source`.
    func write(to object: inout JSONWriter) {
        object.add("offset", offset)
        object.add("partition", partition)
        object.add("topic", topic)
    }
}
