/// When receipts are refreshed, and how often at the most: what an operator can set of it.
package struct RefreshRules: Hashable, Sendable {
    /// From one receipt to the next; keys are spread over the last fifth of it.
    package var interval: Duration = .seconds(7 * 86_400)
    /// Within this time after an attestation its key is asked about first; keys are spread over it.
    package var firstWithin: Duration = .seconds(3600)
    /// The least time between two tries for one key that reach Apple.
    ///
    /// Apple wants a day at least.
    package var pauseMin: Duration = .seconds(86_400)
    /// A key that was not seen for so long is not asked about until it is seen again.
    package var seenWithin: Duration = .seconds(30 * 86_400)
    /// The most requests a second of the whole fleet.
    package var perSecondMax = 5
    /// The most requests a day (UTC) of the whole fleet.
    package var perDayMax = 100_000

    /// The defaults.
    package init() {}

    /// Whenever there is a choice, a receipt is replaced when this part of its time is over: of 90
    /// days thirty are left for outages.
    static let latestPart = (numerator: 2, denominator: 3)
    /// The pause of a key for which Apple had no data grows up to this many ``pauseMin``.
    static let pausesMax = 16
    /// A receipt that Apple refused this often is given up.
    static let refusalsMax: Int32 = 3
}
