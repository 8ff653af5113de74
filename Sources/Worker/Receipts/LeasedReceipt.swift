package import AppAttest

/// A receipt that one worker has in hand, to ask Apple for its successor.
package struct LeasedReceipt: Hashable, Sendable {
    /// What is stored of it.
    package var state: ReceiptState
    /// The app of its key.
    package var appID: String
    /// The environment of its key.
    package var environment: AttestationEnvironment
    /// The key's public half: 65 bytes, X9.63 uncompressed.
    package var publicKey: [UInt8]
    /// The newest receipt, as Apple signed it.
    package var receipt: [UInt8]
    /// Rises with each lease, and with each attestation: an answer that comes later than that is
    /// not stored.
    package var lease: Int64

    /// A receipt in hand from its parts.
    package init(
        state: ReceiptState, appID: String, environment: AttestationEnvironment,
        publicKey: [UInt8], receipt: [UInt8], lease: Int64
    ) {
        self.state = state
        self.appID = appID
        self.environment = environment
        self.publicKey = publicKey
        self.receipt = receipt
        self.lease = lease
    }
}

/// Which receipts a worker takes, and how many at the most.
package struct LeaseTerms: Hashable, Sendable {
    /// Under whose name the pace is kept: the team, as Apple counts requests by team.
    package var fleet: String
    /// The apps whose keys are asked about.
    package var appIDs: Set<String>
    /// When and how often.
    package var rules: RefreshRules
    /// The most receipts at once.
    package var countMax: Int
    /// Whether an operator asks: what Apple answers says nothing of the fleet, whose pace and
    /// pauses stay as they are; requests count for its day.
    package var isByHand = false

    /// Terms from their parts.
    package init(fleet: String, appIDs: Set<String>, rules: RefreshRules, countMax: Int) {
        self.fleet = fleet
        self.appIDs = appIDs
        self.rules = rules
        self.countMax = countMax
    }

    /// How many due rows are looked at beyond those that can be taken: some of them are parked.
    package static let spareRows = 64
}

/// A due row, as it is found under lock.
package struct DueReceipt: Hashable, Sendable {
    /// The key.
    package var keyID: KeyID
    /// The day, counted from 1970, on which the key was last seen.
    package var seenOn: Int32
    /// When the receipt ends.
    package var expiresAt: Instant
    /// Whether the key may be used.
    package var status: KeyStatus
    /// Whether there is a receipt at all.
    package var hasReceipt: Bool

    /// A due row from its parts.
    package init(
        keyID: KeyID, seenOn: Int32, expiresAt: Instant, status: KeyStatus, hasReceipt: Bool
    ) {
        self.keyID = keyID
        self.seenOn = seenOn
        self.expiresAt = expiresAt
        self.status = status
        self.hasReceipt = hasReceipt
    }
}

/// What is done with due rows: a pure function of what was found under lock.
package struct LeasePlan: Hashable, Sendable {
    /// Those that are taken.
    package private(set) var taken: [KeyID] = []
    /// Those that are not due any more until the key is seen again, or for ever.
    package private(set) var parked: [KeyID: ReceiptEnd?] = [:]

    /// Divides due rows.
    ///
    /// - Parameters:
    ///   - due: in the order in which they are due.
    ///   - allowance: how many may be taken.
    ///   - now: the moment.
    ///   - rules: for how long a key that is not seen is asked about.
    package init(_ due: [DueReceipt], allowance: Int, at now: Instant, _ rules: RefreshRules) {
        let oldest = now.advanced(by: .zero - rules.seenWithin).day
        for row in due {
            if !row.hasReceipt {
                parked[row.keyID] = .some(.invalid)
            } else if row.expiresAt <= now {
                parked[row.keyID] = .some(.expired)
            } else if row.status != .active || row.seenOn < oldest {
                parked[row.keyID] = .some(nil)
            } else if taken.count < allowance {
                taken.append(row.keyID)
            }
        }
    }
}
