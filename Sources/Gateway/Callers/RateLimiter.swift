/// A bucket of permissions that fills at a rate.
struct TokenBucket: Hashable, Sendable {
    /// Millionths of a permission.
    private var level: Int64
    private var filledAt: Duration

    private static let unit: Int64 = 1_000_000

    /// A full bucket.
    init(burst: Int, now: Duration) {
        level = Int64(burst) * Self.unit
        filledAt = now
    }

    /// Lets it fill; rates are permissions in `period`.
    private mutating func fill(rate: Int, period: Duration, burst: Int, now: Duration) {
        let most = Int64(burst) * Self.unit
        let passed = max(.zero, now - filledAt)
        // What fills it in any case, so that no product is too large.
        let whole = period * burst / max(1, rate) + period
        guard passed < whole else {
            level = most
            filledAt = now
            return
        }
        let gained = passed.wholeNanoseconds.multipliedFullWidth(by: Int64(rate) * Self.unit)
        let added = period.wholeNanoseconds.dividingFullWidth(gained).quotient
        guard added > 0 else { return }
        level = min(most, level + added)
        filledAt = now
    }

    /// Takes a permission.
    ///
    /// - Returns: nil where there was one; else after how long there is.
    mutating func take(rate: Int, period: Duration, burst: Int, now: Duration) -> Duration? {
        fill(rate: rate, period: period, burst: burst, now: now)
        guard level < Self.unit else {
            level -= Self.unit
            return nil
        }
        return period * Int(Self.unit - level) / (max(1, rate) * Int(Self.unit))
    }

    /// Whether it is full, so that forgetting it changes nothing.
    mutating func isFull(rate: Int, period: Duration, burst: Int, now: Duration) -> Bool {
        fill(rate: rate, period: period, burst: burst, now: now)
        return level >= Int64(burst) * Self.unit
    }
}

extension Duration {
    fileprivate var wholeNanoseconds: Int64 {
        Int64(clamping: attoseconds / 1_000_000_000)
    }
}

/// How many requests are let in, of each caller and of all.
///
/// A value: time comes in with each question.
package struct RateLimiter: Sendable {
    /// What one caller, and all, may ask; 0 is no limit.
    package struct Rates: Hashable, Sendable {
        /// Of one caller, in a minute.
        package var callerPerMinute: Int
        /// Of one caller, at once.
        package var callerBurst: Int
        /// Of all, in a second.
        package var totalPerSecond: Int
        /// Of all, at once.
        package var totalBurst: Int

        /// Rates from their parts.
        package init(
            callerPerMinute: Int, callerBurst: Int, totalPerSecond: Int, totalBurst: Int
        ) {
            self.callerPerMinute = callerPerMinute
            self.callerBurst = callerBurst
            self.totalPerSecond = totalPerSecond
            self.totalBurst = totalBurst
        }
    }

    /// Callers that are kept count of at once; those beyond share one bucket.
    package static let callersMax = 20_000

    private let rates: Rates
    private var callers: [[UInt8]: TokenBucket] = [:]
    private var others: TokenBucket
    private var total: TokenBucket
    /// When callers were last forgotten; not for each request, as that takes a look at all.
    private var sweptAt: Duration?

    /// All may ask up to their bursts.
    package init(_ rates: Rates, now: Duration) {
        self.rates = rates
        others = TokenBucket(burst: rates.callerBurst, now: now)
        total = TokenBucket(burst: rates.totalBurst, now: now)
    }

    /// How many callers it keeps count of.
    package var callerCount: Int { callers.count }

    /// Lets a request in, or not.
    ///
    /// - Parameters:
    ///   - caller: who asks; nil for one that only counts among all.
    ///   - now: by a clock that does not jump.
    /// - Throws: 429, with the time after which there is room.
    package mutating func admit(_ caller: [UInt8]?, now: Duration) throws(Refusal) {
        if let caller, rates.callerPerMinute > 0, let wait = take(caller, now) {
            throw Refusal(
                .resourceExhausted, "rate_limited", "too many requests from this address",
                retryAfter: wait.roundedUpSeconds)
        }
        guard rates.totalPerSecond > 0 else { return }
        let wait = total.take(
            rate: rates.totalPerSecond, period: .seconds(1), burst: rates.totalBurst, now: now)
        guard let wait else { return }
        throw Refusal(
            .resourceExhausted, "overloaded", "too many requests",
            retryAfter: wait.roundedUpSeconds)
    }

    private mutating func take(_ caller: [UInt8], _ now: Duration) -> Duration? {
        let rate = rates.callerPerMinute
        let burst = rates.callerBurst
        if callers[caller] == nil, callers.count >= Self.callersMax {
            sweep(now)
            guard callers.count < Self.callersMax else {
                return others.take(rate: rate, period: .seconds(60), burst: burst, now: now)
            }
        }
        return callers[caller, default: TokenBucket(burst: burst, now: now)]
            .take(rate: rate, period: .seconds(60), burst: burst, now: now)
    }
}

extension RateLimiter {
    /// Forgets callers whose bucket is full again: each is as one that was never seen.
    private mutating func sweep(_ now: Duration) {
        guard sweptAt.map({ now - $0 >= .seconds(1) }) ?? true else { return }
        sweptAt = now
        let (rate, burst) = (rates.callerPerMinute, rates.callerBurst)
        callers = callers.compactMapValues { bucket in
            var bucket = bucket
            let isFull = bucket.isFull(rate: rate, period: .seconds(60), burst: burst, now: now)
            return isFull ? nil : bucket
        }
    }
}

extension Duration {
    /// At least 1.
    var roundedUpSeconds: Int {
        let (seconds, rest) = components
        return max(1, Int(clamping: seconds) + (rest > 0 ? 1 : 0))
    }
}
