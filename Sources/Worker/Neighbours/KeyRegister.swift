package import AppAttest

// The keys as an operator sees them: the `keys` commands, beside running workers.

/// All that is stored of a key.
package struct KeyRecord: Hashable, Sendable {
    /// What its last attestation told.
    package struct Attestation: Hashable, Sendable {
        /// The instant of its record.
        package var at: Instant
        /// Platform in the credential certificate.
        package var platform: String?
        /// OS version in the credential certificate.
        package var osVersion: String?
        /// How large the receipt is.
        package var receiptBytes: Int

        /// An attestation from its parts.
        package init(at: Instant, platform: String?, osVersion: String?, receiptBytes: Int) {
            self.at = at
            self.platform = platform
            self.osVersion = osVersion
            self.receiptBytes = receiptBytes
        }
    }

    /// That it was taken out of use.
    package struct Withdrawal: Hashable, Sendable {
        /// Why, in the operator's words; nil of an erased key.
        package var reason: String?
        /// The database role that did it.
        package var by: String
        /// When, on the database's clock.
        package var at: Instant

        /// A withdrawal from its parts.
        package init(reason: String?, by: String, at: Instant) {
            self.reason = reason
            self.by = by
            self.at = at
        }
    }

    /// That it was given to another owner by an operator.
    package struct Move: Hashable, Sendable {
        /// Why, in the operator's words; nil of an erased key.
        package var reason: String?
        /// The database role that did it.
        package var by: String
        /// When, on the database's clock.
        package var at: Instant

        /// A move from its parts.
        package init(reason: String?, by: String, at: Instant) {
            self.reason = reason
            self.by = by
            self.at = at
        }
    }

    /// Where its newest receipt stands.
    package struct Refresh: Hashable, Sendable {
        /// When Apple made the newest receipt.
        package var createdAt: Instant
        /// From then on it can't be exchanged any more.
        package var expiresAt: Instant
        /// The metric that Apple told last.
        package var metric: UInt32?
        /// When the receipt was made that told it.
        package var metricAsOf: Instant?
        /// The day, counted from 1970, on which a request of the key was accepted last.
        package var seenOn: Int32
        /// What came of the last try.
        package var lastResult: String?
        /// When Apple is asked next; nil: when the key is seen again, or never.
        package var nextAttempt: Instant?
        /// Why nothing is asked any more.
        package var end: ReceiptEnd?

        /// A standing from what is always known.
        package init(createdAt: Instant, expiresAt: Instant, seenOn: Int32) {
            self.createdAt = createdAt
            self.expiresAt = expiresAt
            self.seenOn = seenOn
        }
    }

    /// The row that workers decide by.
    package var key: StoredKey
    /// When it was stored first, on the database's clock.
    package var registeredAt: Instant
    /// What its last attestation told; nil of an erased key.
    package var attestation: Attestation?
    /// That it was taken out of use; nil of a key in use.
    package var withdrawal: Withdrawal?
    /// The last time it was given to another owner; nil of one that never was.
    package var lastMove: Move?
    /// Where its newest receipt stands; nil where receipts are not refreshed.
    package var refresh: Refresh?

    /// A record from its parts.
    package init(
        key: StoredKey, registeredAt: Instant, attestation: Attestation?, withdrawal: Withdrawal?,
        lastMove: Move? = nil
    ) {
        self.key = key
        self.registeredAt = registeredAt
        self.attestation = attestation
        self.withdrawal = withdrawal
        self.lastMove = lastMove
    }
}

/// Which keys are listed: those that fulfil all that is set.
package struct KeyFilter: Hashable, Sendable {
    /// The app.
    package var appID: String?
    /// The environment.
    package var environment: AttestationEnvironment?
    /// The status.
    package var status: KeyStatus?
    /// The owner.
    package var subject: String?
    /// Registered, or taken out of use, at that moment or later.
    package var since: Instant?

    /// A filter that lets all keys pass.
    package init() {}
}

/// The database as an operator's commands use it, while workers run.
package protocol KeyRegister: AnyObject {
    /// What is stored of these keys; those of which nothing is are left out.
    func records(of keyIDs: Set<KeyID>) throws(Fault) -> [KeyID: KeyRecord]

    /// A page of keys in the order of their ids.
    ///
    /// - Parameters:
    ///   - filter: which keys.
    ///   - after: the last key of the page before; nil for the first page.
    ///   - limit: how many at the most.
    /// - Returns: the page; a shorter one than the limit is the last.
    /// - Throws: `.retry` when the server could not be had.
    func list(
        _ filter: KeyFilter, after: KeyID?, limit: Int
    ) throws(Fault) -> [KeyRecord]

    /// Changes keys in one transaction: locks them in the workers' order, decides by
    /// ``KeyChange/outcome(for:appID:)``, writes.
    ///
    /// - Parameters:
    ///   - change: what to do to the keys.
    ///   - keyIDs: the keys.
    ///   - appID: the app they must belong to.
    ///   - isDryRun: whether to roll back at the end.
    /// - Returns: what became of each.
    /// - Throws: `.retry` when a lock or the server could not be had; nothing was changed, or, if
    ///   the connection broke at the COMMIT, perhaps all: doing the same again tells.
    func apply(
        _ change: KeyChange, to keyIDs: Set<KeyID>, appID: String, isDryRun: Bool
    ) throws(Fault) -> [KeyID: KeyChangeOutcome]

    /// Replaces the verdicts that the inbox keeps of erased keys by ``Wire/ErasedVerdict``s.
    ///
    /// To be called once their tombstones are stored: a batch decided later stores nothing of an
    /// erased key but the same kind of verdict, and one decided before has its rows in the inbox
    /// by then, as it held the key's lock. Short transactions, in each of which rows of a part of
    /// the table are locked; a worker waits for none of them.
    ///
    /// - Parameters:
    ///   - keyIDs: the keys.
    ///   - isDryRun: whether each transaction is rolled back.
    ///   - progress: told after each part which share is done, from 0 to 1.
    /// - Returns: how many rows were changed.
    /// - Throws: `.retry` when the server could not be had; what was done before stays done.
    func eraseVerdicts(
        of keyIDs: Set<KeyID>, isDryRun: Bool, progress: (Double) -> Void
    ) throws(Fault) -> Int

    /// Closes the connection. Idempotent.
    func close()
}
