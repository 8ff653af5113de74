internal import AppAttest
internal import Wire

/// What a trial can't ask again, as it is not kept, and what it does instead.
package enum TrialLimits {
    /// What of a policy is not judged again, or not by what was then: a sentence each, beginning
    /// with the setting.
    ///
    /// - Parameter policy: the policy that is tried; only what it sets is told of.
    /// - Returns: the sentences; none if all is judged again.
    package static func told(_ policy: Policy) -> [String] {
        sentences.compactMap { sentence in
            policy.apps.values.contains { sentence.isSet($0, policy) } ? sentence.text : nil
        }
    }

    /// The enforcement of a rule that can't be asked again of each request; nil if the policy does
    /// not have the rule, or if it can be asked.
    static func enforcement(
        of code: String, _ app: AppPolicy, _ policy: Policy
    ) -> Enforcement? {
        guard case .worker(let reason)? = reason(code) else { return nil }
        let rules = app.rules
        let age = rules.attestationAge
        return switch reason {
        case .counterJump: rules.counterJump.max.map { _ in rules.counterJump.mode }
        case .keyIdle: rules.idleTime.maxDays.map { _ in rules.idleTime.mode }
        case .attestationTooOld: age.maxDays.map { _ in age.mode }
        case .requestTooOld: rules.requestTime.maxAge.map { _ in rules.requestTime.mode }
        case .requestFromTheFuture: rules.requestTime.maxSkew.map { _ in rules.requestTime.mode }
        case .tooManyKeys:
            rules.keysPerSubject.keysMax > 0 ? rules.keysPerSubject.enforcement : nil
        case .riskTooHigh: rules.riskMetricMax.map { _ in rules.riskMetric }
        case .challengeUnknown, .challengeExpired, .challengeWrongPurpose, .challengeUsed:
            rules.challenge == .signed ? .enforce : nil
        case .certificateRevoked: policy.revocations.certificates.isEmpty ? nil : .enforce
        default: nil
        }
    }

    /// Whether nothing at all tells a trial what a rule would say: then what the verdict reported
    /// stands for it.
    static func isNeverAsked(_ code: String) -> Bool {
        switch reason(code) {
        case .worker(.counterJump), .worker(.keyIdle), .worker(.requestTooOld),
            .worker(.requestFromTheFuture):
            true
        default: false
        }
    }

    /// Whether a policy requires a receipt, and that of the request was not judged.
    static func needsReceipt(_ facts: AuditFacts, _ app: AppPolicy) -> Bool {
        facts.type == "registration" && app.rules.receipt == .required && receipt(facts) == nil
    }

    /// What came of a request's receipt.
    static func receipt(_ facts: AuditFacts) -> Verdict.ReceiptOutcome? {
        if facts.receipt == "valid" { return .valid }
        guard let reason = facts.receiptReason.flatMap(RejectionCode.init(rawValue:)) else {
            return nil
        }
        return .invalid(reason)
    }

    /// Whether a registration found a row of its key.
    static func foundRow(_ facts: AuditFacts) -> Bool {
        let codes = [facts.reason].compactMap(\.self) + (facts.wouldReject ?? [])
        return facts.reattested == true
            || codes.contains(WorkerReason.keyAlreadyRegistered.rawValue)
    }

    /// Whether a policy's window may admit a sign count that was refused.
    static func mayWindowAdmit(_ code: String, _ app: AppPolicy) -> Bool {
        switch reason(code) {
        case .worker(.counterNotIncreasing), .worker(.counterReplayed): app.rules.replayWindow > 0
        default: false
        }
    }

    /// Whether a refusal is one that a policy gives, so that another policy might not.
    static func isOfPolicy(_ code: String) -> Bool {
        switch reason(code) {
        case .verification(let code):
            code == .environmentMismatch || code == .appIDMismatch || receiptCodes.contains(code)
        case .worker(let reason): !reasonsOfRequests.contains(reason)
        case nil: true
        }
    }

    private static func reason(_ code: String) -> Reason? {
        Reason.all.first { $0.code == code }
    }

    private static let receiptCodes = Set(
        RejectionCode.allCases.filter { $0.rawValue.hasPrefix("receipt_") })

    /// What no policy gives: the message, the clock, the key's row, an artifact and its secret.
    private static let reasonsOfRequests: Set<WorkerReason> = [
        .malformedMessage, .unsupportedFormat, .unknownKey, .keyErased, .subjectMismatch,
        .counterNotIncreasing, .counterReplayed, .requestIDConflict, .requestTooOld,
        .requestFromTheFuture, .requestTimeUnknown, .unprocessable, .staleRequest,
        .artifactInvalid, .artifactWrongApp, .artifactExpired, .notConfigured,
    ]

    private struct Sentence: Sendable {
        let text: String
        let isSet: @Sendable (AppPolicy, Policy) -> Bool

        init(_ text: String, _ isSet: @escaping @Sendable (AppPolicy, Policy) -> Bool) {
            self.text = text
            self.isSet = isSet
        }
    }

    private static let sentences = [
        Sentence("requestTime: when a request came is not kept in its verdict") { app, _ in
            app.rules.requestTime.maxAge != nil || app.rules.requestTime.maxSkew != nil
        },
        Sentence("counterJump: the sign count before a request's is not kept") { app, _ in
            app.rules.counterJump.max != nil
        },
        Sentence("idleTime: the use of a key before a request is not kept") { app, _ in
            app.rules.idleTime.maxDays != nil
        },
        Sentence("attestationAge: keys are as old as they are now") { app, _ in
            app.rules.attestationAge.maxDays != nil
        },
        Sentence("replayWindow: which sign counts a wider window admits is not known") { app, _ in
            app.rules.replayWindow > 0
        },
        Sentence("keysPerSubject: of registrations that were accepted alone") { app, _ in
            app.rules.keysPerSubject.keysMax > 0
        },
        Sentence("riskMetric: of accepted requests whose verdict tells the metric") { app, _ in
            app.rules.riskMetricMax != nil
        },
        Sentence("challenge: a request's challenge is not kept") { app, _ in
            app.rules.challenge == .signed
        },
        Sentence("receipt: by what the verdict tells; receiptMaxAge is not asked again") { app, _ in
            app.rules.receipt == .required
        },
        Sentence("revocations: certificates of keys whose row has none") { _, policy in
            !policy.revocations.certificates.isEmpty
        },
    ]
}
