import AppAttest
import LibCrypto
import Wire
import Worker

/// What is told of a decision: as one JSON object, or as lines.
struct ExplainReport: Encodable {
    /// What the decision rested on, where the audit kept it.
    struct Basis: Encodable {
        /// SHA-256 of the policy, hexadecimal.
        var policy: String
        /// SHA-256 of the list of revocations, hexadecimal.
        var revocations: String?
        var workerVersion: String
    }

    var requestId: String
    /// Sentences: the reason, and what makes it so in this case.
    var why: [String]
    /// What was decided, as it is kept.
    var facts: AuditFacts
    var decidedAt: String?
    var recordTime: String?
    /// SHA-256 of the request's content, hexadecimal.
    var contentDigest: String
    var basis: Basis?
    /// `audit`, or `inbox` where that is all there is.
    var from: String
    /// How many earlier decisions of the same id the audit has: after the inbox had forgotten them.
    var earlierDecisions: Int?

    /// A report; nil if nothing is kept.
    ///
    /// - Parameters:
    ///   - id: the request.
    ///   - inbox: its row in the inbox.
    ///   - audit: what the audit kept of it, the latest first.
    init?(_ id: RequestID, inbox: InboxEntry?, audit: [AuditRecord]) {
        requestId = id.text
        if let latest = audit.first, let facts = AuditFacts(parsing: latest.facts) {
            self.facts = facts
            from = "audit"
            decidedAt = Instant(milliseconds: latest.decidedAt).rfc3339
            contentDigest = latest.contentDigest.bytes.hexadecimal
            basis = latest.basis.map { basis in
                Basis(
                    policy: basis.policyDigest.bytes.hexadecimal,
                    revocations: basis.revocations?.bytes.hexadecimal,
                    workerVersion: basis.workerVersion)
            }
            earlierDecisions = audit.count > 1 ? audit.count - 1 : nil
        } else if let inbox, let facts = AuditFacts(parsing: inbox.verdict) {
            self.facts = facts
            from = "inbox"
            contentDigest = inbox.contentDigest.bytes.hexadecimal
        } else {
            return nil
        }
        recordTime = facts.recordMilliseconds.map { Instant(milliseconds: $0).rfc3339 }
        why = Self.sentences(facts)
    }

    private static func sentences(_ facts: AuditFacts) -> [String] {
        guard facts.erased != true else {
            return [
                "The key was erased, and with it what is known of its requests, earlier and later"
                    + " ones."
            ]
        }
        var sentences: [String] = []
        if let code = facts.reason {
            sentences.append(sentence(code))
        } else {
            sentences.append(acceptance(facts))
        }
        if let stored = facts.stored { sentences += Self.sentences(facts, stored) }
        if let risk = facts.risk {
            sentences.append(
                "Apple's risk metric of the key was \(risk.metric), as of \(risk.asOf).")
        }
        if let reason = facts.receiptReason {
            sentences.append("The receipt was not valid (\(reason)).")
        }
        for code in facts.wouldReject ?? [] {
            sentences.append(
                "A policy that only reports would have refused it (\(code)): \(sentence(code))")
        }
        return sentences
    }

    /// Why a request was accepted.
    private static func acceptance(_ facts: AuditFacts) -> String {
        switch facts.type.flatMap(RequestKind.init(rawValue:)) {
        case .registration:
            facts.reattested == true
                ? "Every step of Apple's verification passed; the key was known, and its sign"
                    + " count stayed."
                : "Every step of Apple's verification passed; the key is registered."
        case .challenge: "A challenge was minted for the app."
        case .consume:
            facts.alreadyConsumed == true
                ? "The token was one of ours, in time, and consumed by an earlier request."
                : "The token was one of ours, in time, and consumed by this request."
        case .assertion, nil: "The signature is the registered key's, and its sign count was new."
        }
    }

    private static func sentences(
        _ facts: AuditFacts, _ stored: AuditFacts.Stored
    ) -> [String] {
        var sentences: [String] = []
        if facts.type == "assertion", let count = facts.signCount {
            sentences.append(
                "The assertion bears the sign count \(count); \(stored.signCount) was the highest"
                    + " one accepted before it.")
        }
        if stored.status != "active" { sentences.append("The key was \(stored.status).") }
        switch stored.owner {
        case "other": sentences.append("The key belonged to another subject than was named.")
        case "same": sentences.append("The key belonged to the subject that was named.")
        case "unnamed": sentences.append("The key had an owner, and the request named none.")
        default: sentences.append("The key had no owner.")
        }
        return sentences
    }

    private static func sentence(_ code: String) -> String {
        Reason.all.first { $0.code == code }?.sentence
            ?? "A reason that this version does not know: \(printable(code))."
    }

    /// The report for a person.
    var lines: [String] {
        let place = facts.source.map { "\($0.topic) \($0.partition):\($0.offset)" }
        let fields: [(String, String?)] = [
            ("request", requestId), ("type", facts.type),
            ("verdict", [facts.outcome, facts.reason].compactMap(\.self).joined(separator: ": ")),
            ("app", facts.appId), ("environment", facts.environment),
            ("sign count", facts.signCount.map(String.init)), ("record", place),
            ("record time", recordTime), ("decided", decidedAt),
            ("content", contentDigest), ("policy", basis?.policy),
            ("revocations", basis?.revocations), ("version", basis?.workerVersion),
            ("earlier", earlierDecisions.map { "\($0) decisions of the same id" }),
            ("known from", from == "audit" ? "attest.audit" : "the inbox alone"),
        ]
        return why.map(printable)
            + fields.compactMap { name, value in
                guard let value, !value.isEmpty else { return nil }
                let padding = String(repeating: " ", count: 13 - name.count)
                return "  \(name):\(padding)\(printable(value))"
            }
    }
}
