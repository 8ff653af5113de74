package import AppAttest
package import Wire

/// Receipts that were taken, and when to look again.
package struct LeaseGrant: Hashable, Sendable {
    /// Each of them is this worker's until its next try is due, ``RefreshRules/pauseMin`` from now.
    package var receipts: [LeasedReceipt]
    /// How many due rows need not be asked about.
    package var parked: Int
    /// When the pace allows more; nil if it was not the pace that set the limit.
    package var paceWait: Duration?

    /// A grant from its parts.
    package init(receipts: [LeasedReceipt], parked: Int, paceWait: Duration?) {
        self.receipts = receipts
        self.parked = parked
        self.paceWait = paceWait
    }
}

/// The newest receipt of each key, as what refreshes them sees it.
///
/// Used by one thread. Whoever takes a receipt has it for ``RefreshRules/pauseMin``: if the process
/// dies, the key is due again then and not before, as Apple may have been asked already.
package protocol ReceiptStore: AnyObject {
    /// Takes due receipts, within the pace of the fleet.
    func lease(_ terms: LeaseTerms, at now: Instant) throws(Fault) -> LeaseGrant

    /// Takes one key's receipt for an operator, due or not, given up or not; outside the pace.
    ///
    /// - Returns: why not, where it is not taken; then nothing is changed.
    func lease(
        _ keyID: KeyID, of appID: String, _ rules: RefreshRules, at now: Instant
    ) throws(Fault) -> HandLease

    /// Stores what came of a try, and slows the fleet down if need be.
    ///
    /// - Returns: false where the receipt is this worker's no more: then only the pace is stored.
    func settle(
        _ leased: LeasedReceipt, _ outcome: RefreshOutcome, _ terms: LeaseTerms, at now: Instant
    ) throws(Fault) -> Bool

    /// Gives back receipts that nobody was asked about: they are due at once.
    func giveBack(_ leased: [LeasedReceipt], at now: Instant) throws(Fault)

    /// Changes of the metric that nobody was told of, though their try was over before an instant.
    func untold(
        _ appIDs: Set<String>, before: Instant, limit: Int
    ) throws(Fault) -> [RiskChange]

    /// Notes that the topic has these changes.
    func noteTold(_ changes: [RiskChange]) throws(Fault)

    /// Since when the longest-waiting receipt of these apps is due; nil if none is.
    func oldestDue(_ appIDs: Set<String>, at now: Instant) throws(Fault) -> Instant?

    /// Closes the connection. Idempotent.
    func close()
}
