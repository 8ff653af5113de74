package import AppAttest
package import Wire
package import Worker

/// A connection to an ``InMemoryDatabase`` as a refresher has it.
package final class InMemoryReceiptStore: ReceiptStore {
    private let database: InMemoryDatabase
    /// How many settlements fail from now on, as the database is away.
    package var settlementsLost = 0

    /// Connects.
    package init(_ database: InMemoryDatabase) {
        self.database = database
    }

    package func lease(_ terms: LeaseTerms, at now: Instant) throws(Fault) -> LeaseGrant {
        database.withReceipts { (rows, queue) in
            var pace = rows.paces[terms.fleet] ?? RefreshPace(at: now, terms.rules)
            let allowance = pace.allowance(at: now, terms.rules)
            let most = min(allowance, terms.countMax)
            // One more than none: what is to be parked is found while nobody may be asked, too.
            let due = queue.due(at: now, limit: max(1, most), in: rows, terms.appIDs)
            let plan = LeasePlan(
                due.compactMap { rows.dueReceipt($0) }, allowance: most,
                at: now, terms.rules)
            pace.take(plan.taken.count)
            rows.paces[terms.fleet] = pace
            for (keyID, end) in plan.parked {
                rows.receipts[keyID]?.state.nextAttempt = nil
                if let end { rows.receipts[keyID]?.state.end = end }
            }
            let isHeldBack = allowance <= plan.taken.count
            return LeaseGrant(
                receipts: plan.taken.compactMap {
                    rows.take($0, at: now, terms.rules, &queue)
                },
                parked: plan.parked.count,
                paceWait: isHeldBack ? pace.wait(at: now, terms.rules) : nil)
        }
    }

    package func lease(
        _ keyID: KeyID, of appID: String, _ rules: RefreshRules, at now: Instant
    ) throws(Fault) -> HandLease {
        database.withReceipts { (rows, queue) in
            guard let row = rows.receipts[keyID], row.appID == appID else { return .unknown }
            let obstacle = HandLease.obstacle(
                attemptedAt: row.attemptedAt, nextAttempt: row.state.nextAttempt,
                notBefore: row.state.notBefore, at: now, rules)
            if let obstacle { return obstacle }
            return rows.take(keyID, at: now, rules, &queue).map(HandLease.taken) ?? .unknown
        }
    }

    package func settle(
        _ leased: LeasedReceipt, _ outcome: RefreshOutcome, _ terms: LeaseTerms, at now: Instant
    ) throws(Fault) -> Bool {
        guard settlementsLost == 0 else {
            settlementsLost -= 1
            throw Fault(
                operation: "store a receipt", code: "connection_lost", disposition: .retry,
                message: "the database is away")
        }
        return database.withReceipts { (rows, queue) in
            var pace = rows.paces[terms.fleet] ?? RefreshPace(at: now, terms.rules)
            pace.note(outcome, at: now, isByHand: terms.isByHand)
            rows.paces[terms.fleet] = pace
            let keyID = leased.state.keyID
            guard rows.receipts[keyID]?.lease == leased.lease else { return false }
            let state = RefreshSchedule.state(
                after: outcome, leased.state, at: now, terms.rules)
            rows.receipts[keyID]?.state = state
            if case .renewed(let receipt, _) = outcome { rows.receipts[keyID]?.receipt = receipt }
            queue.put(keyID, state.nextAttempt)
            return true
        }
    }

    package func giveBack(_ leased: [LeasedReceipt], at now: Instant) throws(Fault) {
        database.withReceipts { (rows, queue) in
            for receipt in leased
            where rows.receipts[receipt.state.keyID]?.lease == receipt.lease {
                rows.receipts[receipt.state.keyID]?.state.nextAttempt = now
                queue.put(receipt.state.keyID, now)
            }
        }
    }

    package func untold(
        _ appIDs: Set<String>, before: Instant, limit: Int
    ) throws(Fault) -> [RiskChange] {
        let rows = database.rows
        let found = rows.receipts.values.filter { row in
            row.isUntold && appIDs.contains(row.appID)
                && row.attemptedAt.map { $0 <= before } ?? false
        }
        return found.sorted { $0.state.keyID < $1.state.keyID }.prefix(limit).compactMap { row in
            guard let metric = row.state.metric, let asOf = row.state.metricAsOf,
                let key = rows.keys[row.state.keyID]?.key
            else { return nil }
            return RiskChange(
                keyID: row.state.keyID, appID: row.appID, environment: key.environment,
                subject: key.subject, metric: metric, previousMetric: row.toldMetric, asOf: asOf)
        }
    }

    package func noteTold(_ changes: [RiskChange]) throws(Fault) {
        database.withReceipts { (rows, _) in
            for change in changes { rows.receipts[change.keyID]?.toldMetric = change.metric }
        }
    }

    package func oldestDue(_ appIDs: Set<String>, at now: Instant) throws(Fault) -> Instant? {
        database.rows.receipts.values.filter { appIDs.contains($0.appID) }
            .compactMap(\.state.nextAttempt).filter { $0 <= now }.min()
    }

    package func close() {}
}

extension InMemoryDatabase.Rows {
    /// A due row as the plan wants it.
    fileprivate func dueReceipt(_ keyID: KeyID) -> DueReceipt? {
        guard let row = receipts[keyID], let key = keys[keyID]?.key else { return nil }
        return DueReceipt(
            keyID: keyID, seenOn: row.seenOn, expiresAt: row.state.expiresAt, status: key.status,
            hasReceipt: true)
    }

    /// Takes a receipt; nil where there is none or its key may not be used.
    fileprivate mutating func take(
        _ keyID: KeyID, at now: Instant, _ rules: RefreshRules, _ queue: inout InMemoryDueQueue
    ) -> LeasedReceipt? {
        guard let registration = keys[keyID], registration.key.status == .active,
            receipts[keyID] != nil
        else { return nil }
        let until = now.advanced(by: rules.pauseMin)
        receipts[keyID]?.lease += 1
        receipts[keyID]?.attemptedAt = now
        receipts[keyID]?.state.nextAttempt = until
        receipts[keyID]?.state.end = nil
        queue.put(keyID, until)
        guard let row = receipts[keyID] else { return nil }
        return LeasedReceipt(
            state: row.state, appID: row.appID, environment: registration.key.environment,
            publicKey: registration.key.publicKey, receipt: row.receipt ?? registration.receipt,
            lease: row.lease)
    }
}
