package import AppAttest
internal import Wire

/// Apple's server, or what stands for it.
package protocol ReceiptService: AnyObject {
    /// Hands in a receipt and waits for the answer. Used by one thread.
    ///
    /// - Parameters:
    ///   - receipt: the newest one of a key.
    ///   - environment: the key's: each has a server of its own.
    ///   - token: who asks.
    /// - Returns: what was answered, or that nothing was.
    func exchange(
        _ receipt: [UInt8], in environment: AttestationEnvironment, token: ProviderToken
    ) -> ReceiptServiceAnswer
}

/// What came back from the server.
package enum ReceiptServiceAnswer: Hashable, Sendable {
    /// An answer.
    case status(Int, body: [UInt8])
    /// None; why, in words that may be logged.
    case none(RefreshFailure, String)
    /// The process is to end; whether the server took the request is unknown.
    case cancelled
}

/// Why bytes are no receipt of a key.
package struct ReceiptProblem: Error, Hashable, Sendable {
    /// A stable word, safe to log.
    package let code: String

    /// A problem from its word.
    package init(code: String) {
        self.code = code
    }
}

/// Verifies receipts: signature, chain, app, key, environment, expiry.
///
/// A struct that holds a closure, so that schedules can be simulated without cryptography.
package struct ReceiptCheck: Sendable {
    /// Tells what a receipt says, or why it is none of this key.
    package let facts:
        @Sendable (_ receipt: [UInt8], _ leased: LeasedReceipt, _ now: Instant)
            -> Result<ReceiptFacts, ReceiptProblem>

    /// A check from its function.
    package init(
        facts:
            @escaping @Sendable (
                _ receipt: [UInt8], _ leased: LeasedReceipt, _ now: Instant
            ) -> Result<ReceiptFacts, ReceiptProblem>
    ) {
        self.facts = facts
    }

    /// The most bytes of an answer's body; those of Apple have about 5 KB.
    package static let answerBytesMax = 64 << 10
    /// How far a new receipt's creation may lie from our clock.
    static let clockSkewMax: Duration = .seconds(3600)

    /// What an answer means for the key, with a word for the log where there is more to tell.
    package func outcome(
        of answer: ReceiptServiceAnswer, to leased: LeasedReceipt, at now: Instant
    ) -> (outcome: RefreshOutcome, detail: String) {
        switch answer {
        case .none(let failure, let detail): (.failed(failure), detail)
        case .cancelled: (.failed(.timeout), "cancelled")
        case .status(200, let body): renewal(in: body, of: leased, at: now)
        case .status(let status, _): (.failed(Self.failure(of: status)), "status \(status)")
        }
    }

    private func renewal(
        in body: [UInt8], of leased: LeasedReceipt, at now: Instant
    ) -> (outcome: RefreshOutcome, detail: String) {
        func unusable(_ detail: String) -> (outcome: RefreshOutcome, detail: String) {
            (.failed(.unusable), detail)
        }
        let text = String(decoding: body, as: UTF8.self)
            .trimmingSuffix { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
        guard let receipt = Base64.decode(text), !receipt.isEmpty else {
            return unusable("not_base64")
        }
        switch facts(receipt, leased, now) {
        case .failure(let problem): return unusable(problem.code)
        case .success(let facts):
            guard facts.metric != nil else { return unusable("no_metric") }
            // Never an older one, nor one of a clock that is wrong: it would stand for long.
            guard facts.createdAt >= leased.state.createdAt else { return unusable("older") }
            let age = now.since(facts.createdAt)
            guard age <= Self.clockSkewMax, age >= .zero - Self.clockSkewMax else {
                return unusable("created_at_another_time")
            }
            guard facts.expiresAt > now else { return unusable("expired") }
            return (.renewed(receipt: receipt, facts), "")
        }
    }

    private static func failure(of status: Int) -> RefreshFailure {
        switch status {
        case 304: .tooEarly
        case 400: .refused
        case 401: .unauthorized
        case 404: .noData
        case 429: .throttled
        case 500...599: .serverError
        default: .unusable
        }
    }
}

extension String {
    /// Without the characters at its end that `isCut` takes.
    fileprivate func trimmingSuffix(_ isCut: (Character) -> Bool) -> String {
        var text = self
        while let last = text.last, isCut(last) { text.removeLast() }
        return text
    }
}
