package import AppAttest
internal import LibCrypto

/// When a key's receipt is due: pure functions of what is stored and what came of the last try.
///
/// Nothing is random: where keys are to be spread over time, the place of each follows from its key
/// id, which is a digest. So workers need not agree on anything, and a key keeps its place.
///
/// | after | the next try is |
/// | --- | --- |
/// | an attestation | within `firstWithin` |
/// | a new receipt | after four to five fifths of `interval`, when it may be, well before its end |
/// | 304 | at its not-before, `pauseMin` from now at the earliest |
/// | 404 | after `pauseMin`, doubled each time up to 16 of it: data can come back |
/// | 200 with nothing usable, no answer in time | likewise |
/// | 400 | likewise; after three in a row the receipt is given up |
/// | 401, 429, 5xx, no connection, TLS | after a 24th of `pauseMin`, doubled up to one `pauseMin` |
///
/// All of them before the receipt ends, where there is any time left for it.
package enum RefreshSchedule {
    /// When a key is asked about for the first time.
    package static func first(
        of facts: ReceiptFacts, _ keyID: KeyID, _ rules: RefreshRules
    ) -> Instant {
        let due = facts.createdAt.advanced(by: part(of: rules.firstWithin, keyID))
        return max(due, facts.notBefore ?? due)
    }

    /// When a key is asked about after it got a new receipt.
    package static func next(
        after facts: ReceiptFacts, _ keyID: KeyID, _ rules: RefreshRules
    ) -> Instant {
        let least = rules.interval * 4 / 5
        let wanted = facts.createdAt.advanced(
            by: least + part(of: rules.interval - least, keyID))
        let lifetime = facts.expiresAt.since(facts.createdAt)
        let latest = facts.createdAt.advanced(
            by: lifetime * RefreshRules.latestPart.numerator / RefreshRules.latestPart.denominator)
        let earliest = facts.createdAt.advanced(by: rules.pauseMin)
        // A minute more, as its clock and ours are two.
        let allowed = facts.notBefore.map { $0.advanced(by: .seconds(60)) } ?? earliest
        return max(min(wanted, latest), max(earliest, allowed))
    }

    /// What is stored after a try.
    ///
    /// - Parameters:
    ///   - outcome: what came of it.
    ///   - state: what was stored before.
    ///   - now: the moment.
    ///   - rules: what the operator wants.
    /// - Returns: what is stored from now on.
    package static func state(
        after outcome: RefreshOutcome, _ state: ReceiptState, at now: Instant,
        _ rules: RefreshRules
    ) -> ReceiptState {
        var state = state
        switch outcome {
        case .renewed(_, let facts):
            state.createdAt = facts.createdAt
            state.notBefore = facts.notBefore
            state.expiresAt = facts.expiresAt
            if let metric = facts.metric {
                state.metric = metric
                state.metricAsOf = facts.createdAt
            }
            state.failures = 0
            // What Apple's clock says may be in the past of ours: never at once again.
            state.nextAttempt = max(
                next(after: facts, state.keyID, rules), now.advanced(by: rules.pauseMin))
        case .failed(let failure):
            // A receipt that comes too early is no failure.
            if failure != .tooEarly { state.failures = min(state.failures, 1 << 20) + 1 }
            state.end = end(after: failure, failures: state.failures)
            state.nextAttempt = now.advanced(by: pause(after: failure, state, rules))
            if failure == .tooEarly, let notBefore = state.notBefore, let next = state.nextAttempt {
                state.nextAttempt = max(next, notBefore.advanced(by: .seconds(60)))
            }
        }
        keepAlive(&state, at: now, rules)
        return state
    }

    /// When a key that was out of sight is asked about again, once it is seen.
    package static func due(
        seenAt instant: Instant, _ keyID: KeyID, _ rules: RefreshRules
    ) -> Instant {
        instant.advanced(by: part(of: rules.firstWithin, keyID))
    }

    /// Brings a try that would come after the end before it, as long as there is time.
    private static func keepAlive(
        _ state: inout ReceiptState, at now: Instant, _ rules: RefreshRules
    ) {
        if let next = state.nextAttempt, next >= state.expiresAt {
            let soonest = now.advanced(by: rules.pauseMin)
            if soonest < state.expiresAt {
                state.nextAttempt = soonest
            } else {
                state.end = state.end ?? .expired
            }
        }
        if state.end != nil { state.nextAttempt = nil }
    }

    private static func end(after failure: RefreshFailure, failures: Int32) -> ReceiptEnd? {
        switch failure {
        case .invalidStored: .invalid
        case .refused: failures >= RefreshRules.refusalsMax ? .refused : nil
        case .tooEarly, .unauthorized, .noData, .throttled, .serverError, .unusable, .unreachable,
            .timeout, .tls:
            nil
        }
    }

    private static func pause(
        after failure: RefreshFailure, _ state: ReceiptState, _ rules: RefreshRules
    ) -> Duration {
        let doublings = max(0, min(state.failures - 1, 20))
        guard failure.reachedApple else {
            return min(rules.pauseMin / 24 * (1 << doublings), rules.pauseMin)
        }
        guard failure != .tooEarly else { return rules.pauseMin }
        return min(
            rules.pauseMin * (1 << doublings), rules.pauseMin * RefreshRules.pausesMax)
    }

    /// A part of a duration that follows from the key id: from nothing up to all of it.
    static func part(of duration: Duration, _ keyID: KeyID) -> Duration {
        let place = keyID.digest.bytes.prefix(4).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return duration / Int(1 << 16) * Int(place >> 16)
    }
}
