package import AppAttest

/// How fast the whole fleet asks Apple: a row in the database, read and written under lock by
/// whoever takes due keys.
///
/// A token bucket that holds what one second allows, a count for the day, and a pause after
/// answers that are no key's fault. Clocks of workers may differ and may be set back: the day and
/// the count never fall, and a bucket filled in the future is taken for filled now.
package struct RefreshPace: Hashable, Sendable {
    /// Requests that may be made now, in thousandths.
    package var tokenThousandths: Int64
    /// When the bucket was filled last.
    package var filledAt: Instant
    /// The day of the count, from 1970.
    package var day: Int32
    /// Requests granted on that day.
    package var usedToday: Int64
    /// Nothing is asked before.
    package var pausedUntil: Instant?
    /// How many answers in a row were no key's fault.
    package var troubles: Int32

    /// The longest pause; a clock that is wrong by more does not stop the fleet for longer.
    static let pauseMax: Duration = .seconds(3600)

    /// A full bucket, nothing used.
    package init(at now: Instant, _ rules: RefreshRules) {
        self.init(
            tokenThousandths: Int64(rules.perSecondMax) * 1000, filledAt: now, day: now.day,
            usedToday: 0, pausedUntil: nil, troubles: 0)
    }

    /// A pace from its parts.
    package init(
        tokenThousandths: Int64, filledAt: Instant, day: Int32, usedToday: Int64,
        pausedUntil: Instant?, troubles: Int32
    ) {
        self.tokenThousandths = tokenThousandths
        self.filledAt = filledAt
        self.day = day
        self.usedToday = usedToday
        self.pausedUntil = pausedUntil
        self.troubles = troubles
    }

    /// How many requests may be made now; the bucket is filled up to this moment.
    package mutating func allowance(at now: Instant, _ rules: RefreshRules) -> Int {
        fill(at: now, rules)
        if now.day > day {
            day = now.day
            usedToday = 0
        }
        if let until = pausedUntil {
            // A pause set by a clock far ahead of ours is none.
            if now < until, until.since(now) <= Self.pauseMax { return 0 }
            pausedUntil = nil
        }
        let left = max(0, Int64(rules.perDayMax) - usedToday)
        return Int(min(tokenThousandths / 1000, left))
    }

    /// Takes requests out of the bucket, no more than the allowance.
    package mutating func take(_ count: Int) {
        tokenThousandths -= Int64(count) * 1000
        usedToday += Int64(count)
    }

    /// How long to wait until there may be an allowance again.
    package func wait(at now: Instant, _ rules: RefreshRules) -> Duration {
        if let until = pausedUntil, now < until { return min(until.since(now), Self.pauseMax) }
        guard usedToday < Int64(rules.perDayMax) else { return .seconds(60) }
        return .milliseconds(max(0, 1000 - tokenThousandths) / Int64(rules.perSecondMax) + 1)
    }

    /// Slows the fleet down, or lets it go on, after an answer.
    ///
    /// By hand it does neither: what was sent counts for the day.
    package mutating func note(
        _ outcome: RefreshOutcome, at now: Instant, isByHand: Bool = false
    ) {
        guard !isByHand else {
            return countByHand(outcome, at: now)
        }
        switch outcome {
        case .renewed:
            // An answer to what was asked before the pause does not end it.
            guard pausedUntil.map({ now >= $0 }) ?? true else { return }
            troubles = 0
            pausedUntil = nil
        case .failed(let failure):
            guard let first = Self.pause(after: failure) else { return }
            let pause = min(first * (1 << min(Int(troubles), 12)), Self.pauseMax)
            troubles = min(troubles, 1 << 20) + 1
            let until = now.advanced(by: pause)
            pausedUntil = max(until, pausedUntil ?? until)
        }
    }

    private mutating func countByHand(_ outcome: RefreshOutcome, at now: Instant) {
        guard outcome != .failed(.invalidStored) else { return }
        if now.day > day {
            day = now.day
            usedToday = 0
        }
        usedToday += 1
    }

    /// Whether the fleet asks nobody for a while after this.
    static func isTrouble(_ failure: RefreshFailure) -> Bool {
        pause(after: failure) != nil
    }

    /// The first pause after what does not lie in one key; nil after what does.
    ///
    /// A 400 may lie in one receipt, or in the settings: a flood of them is slowed down too.
    private static func pause(after failure: RefreshFailure) -> Duration? {
        switch failure {
        case .unauthorized: .seconds(300)
        case .throttled: .seconds(60)
        case .serverError, .unreachable, .timeout, .tls: .seconds(5)
        case .refused: .seconds(1)
        case .tooEarly, .noData, .unusable, .invalidStored: nil
        }
    }

    private mutating func fill(at now: Instant, _ rules: RefreshRules) {
        let most = Int64(rules.perSecondMax) * 1000
        let elapsed = now.since(filledAt).wholeMilliseconds
        // A thousandth a millisecond for each request a second.
        let gained = elapsed >= 1000 ? most : max(0, elapsed) * Int64(rules.perSecondMax)
        tokenThousandths = min(most, tokenThousandths + gained)
        filledAt = now
    }
}
