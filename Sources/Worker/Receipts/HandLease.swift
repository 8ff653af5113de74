package import AppAttest

/// Whether an operator may ask about a key now; where not, nothing was changed.
package enum HandLease: Hashable, Sendable {
    /// It may be asked about: it is this process's.
    case taken(LeasedReceipt)
    /// Nothing is stored of it, it may not be used, or it is another app's.
    case unknown
    /// Somebody else asks about it since this moment.
    case busy(since: Instant)
    /// Apple gives no other receipt before this moment.
    case early(notBefore: Instant)

    /// Who took a receipt so long ago, and has not told what came of it, is dead.
    ///
    /// More than ``RefresherSettings/inHandMax`` requests take, one after the other.
    package static let freshFor: Duration = .seconds(1800)

    /// What keeps an operator from asking.
    ///
    /// Whoever takes a receipt sets its next try to just `pauseMin` later; whatever comes of the
    /// try sets another one.
    ///
    /// - Parameters:
    ///   - attemptedAt: when it was taken last.
    ///   - nextAttempt: when it is due.
    ///   - notBefore: that of the stored receipt.
    ///   - now: the moment.
    ///   - rules: the same as those of the workers.
    /// - Returns: nil if nothing does.
    package static func obstacle(
        attemptedAt: Instant?, nextAttempt: Instant?, notBefore: Instant?, at now: Instant,
        _ rules: RefreshRules
    ) -> HandLease? {
        if let attemptedAt, nextAttempt == attemptedAt.advanced(by: rules.pauseMin),
            now.since(attemptedAt) < freshFor
        {
            return .busy(since: attemptedAt)
        }
        if let notBefore, now < notBefore { return .early(notBefore: notBefore) }
        return nil
    }
}

/// What came of asking about one key by hand.
package enum HandTry: Hashable, Sendable {
    /// It was this process's; with a word more, or none.
    case tried(RefreshOutcome, detail: String)
    /// As ``HandLease/unknown``.
    case unknown
    /// As ``HandLease/busy(since:)``.
    case busy(since: Instant)
    /// As ``HandLease/early(notBefore:)``.
    case early(notBefore: Instant)

    /// Whether the next key would fare likewise, so that nobody should go on asking.
    package var endsAsking: Bool {
        switch self {
        case .tried(.failed(.unauthorized), _), .tried(.failed(.throttled), _),
            .tried(.failed(.unreachable), _), .tried(.failed(.tls), _):
            true
        case .tried, .unknown, .busy, .early: false
        }
    }
}
