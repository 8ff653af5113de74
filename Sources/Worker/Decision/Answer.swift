package import Wire

/// What is answered to one record.
package enum Answer: Sendable {
    /// A verdict: its bytes, and whether they were decided before.
    case verdict(bytes: [UInt8], id: VerdictID, isRepeat: Bool)
    /// A dead letter.
    case deadLetter(DeadLetter.Cause)
    /// Nothing: the partition is no longer this lane's, or is to be read again from further back.
    case nothing
}

/// What is counted of a verdict; nothing of it goes into the verdict.
package struct VerdictFacts: Hashable, Sendable {
    /// Why the same request comes again.
    package enum Repetition: Hashable, Sendable {
        /// Kafka delivered a record again.
        case redelivered
        /// A gateway sent the request again.
        case sentAgain
    }

    /// The configured app it names.
    package var appID: String?
    /// Why it was rejected; nil where it was accepted, or was decided before.
    package var reason: Reason?
    /// Why it would be rejected, were the policies in force that only report.
    package var wouldReject: [Reason] = []
    /// Whether a higher sign count was accepted before.
    package var isOutOfOrder = false
    /// What came of the receipt, where one was judged.
    package var receipt: Verdict.ReceiptOutcome?
    /// On a verdict with a token: whether that is for limited use.
    package var isTokenForLimitedUse: Bool?
    /// On a token that was consumed: whether it was before.
    package var isConsumedBefore: Bool?
    /// Whether the app's devices are simulated.
    package var isSimulated = false
    /// Set where the answer is the one it had before.
    package var repetition: Repetition?
}

extension Verdict {
    /// What is counted of a verdict that is given for the first time.
    var facts: VerdictFacts {
        VerdictFacts(
            appID: appID, reason: outcome.reason, wouldReject: wouldReject,
            isOutOfOrder: isOutOfOrder, receipt: receipt,
            isTokenForLimitedUse: token?.isForLimitedUse,
            isConsumedBefore: isConsumedBefore, isSimulated: isSimulated)
    }
}
