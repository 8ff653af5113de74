package import AppAttest
internal import LibCrypto
package import Wire
package import Worker

/// The receipts in PostgreSQL: one connection, used by one refresher.
///
/// Round trips: leases and settlements take two, everything else one.
package final class PostgresReceiptStore: ReceiptStore {
    /// Its connection, opened when it is needed and dropped when it breaks.
    private let session: PostgresKeyStore

    /// A store that is not connected yet.
    ///
    /// - Parameters:
    ///   - settings: where to, and how patient to be.
    ///   - access: what replaces connection string and password of sessions opened from then on.
    package init(_ settings: PostgresSettings, access: Live<DatabaseAccess>? = nil) {
        session = PostgresKeyStore(settings, access: access)
    }

    package func lease(_ terms: LeaseTerms, at now: Instant) throws(Fault) -> LeaseGrant {
        let find = Command(
            .findDueReceipts, .texts(terms.appIDs.sorted()), .moment(now),
            .int8(Int64(terms.countMax + LeaseTerms.spareRows)))
        let (found, due) = try session.perform("find due receipts") {
            (connection) throws(PostgresError) in
            let results = try connection.run(
                self.session.beginning() + [Self.lockPace(terms, at: now), find])
            let pace = try requiredPace(in: results.dropLast().last)
            return (pace, try dueReceipts(in: results.last))
        }
        var pace = found
        let allowance = pace.allowance(at: now, terms.rules)
        let plan = LeasePlan(
            due, allowance: min(allowance, terms.countMax), at: now, terms.rules)
        pace.take(plan.taken.count)
        let until = now.advanced(by: terms.rules.pauseMin)
        let receipts = try session.perform("take receipts") { (connection) throws(PostgresError) in
            let results = try connection.run(
                [
                    Self.take(plan.taken, at: now, until: until), Self.park(plan.parked),
                    Self.savePace(terms.fleet, pace), Command(.commit),
                ])
            try requireCommit(results.last)
            return try leasedReceipts(in: results.first, until: until)
        }
        let isHeldBack = allowance <= plan.taken.count
        return LeaseGrant(
            receipts: receipts, parked: plan.parked.count,
            paceWait: isHeldBack ? pace.wait(at: now, terms.rules) : nil)
    }

    package func lease(
        _ keyID: KeyID, of appID: String, _ rules: RefreshRules, at now: Instant
    ) throws(Fault) -> HandLease {
        let find = Command(.findReceiptByHand, .bytes(keyID.digest.bytes), .text(appID))
        let obstacle = try session.perform("find a receipt") {
            (connection) throws(PostgresError) in
            let results = try connection.run(self.session.beginning() + [find])
            return try handObstacle(in: results.last, at: now, rules)
        }
        let until = now.advanced(by: rules.pauseMin)
        return try session.perform("take a receipt") { (connection) throws(PostgresError) in
            // With nothing taken the transaction just ends.
            let keyIDs = obstacle == nil ? [keyID] : []
            let results = try connection.run(
                [Self.take(keyIDs, at: now, until: until), Command(.commit)])
            try requireCommit(results.last)
            if let obstacle { return obstacle }
            return try leasedReceipts(in: results.first, until: until).first
                .map(HandLease.taken) ?? .unknown
        }
    }

    package func settle(
        _ leased: LeasedReceipt, _ outcome: RefreshOutcome, _ terms: LeaseTerms, at now: Instant
    ) throws(Fault) -> Bool {
        let state = RefreshSchedule.state(after: outcome, leased.state, at: now, terms.rules)
        let settle = Self.settle(leased, outcome, state)
        var pace = try session.perform("lock the pace") { (connection) throws(PostgresError) in
            let results = try connection.run(
                self.session.beginning() + [Self.lockPace(terms, at: now)])
            return try requiredPace(in: results.last)
        }
        pace.note(outcome, at: now, isByHand: terms.isByHand)
        let save = Self.savePace(terms.fleet, pace)
        return try session.perform("store a receipt") { (connection) throws(PostgresError) in
            let results = try connection.run([settle, save, Command(.commit)])
            try requireCommit(results.last)
            return results.first?.changedCount == 1
        }
    }

    package func giveBack(_ leased: [LeasedReceipt], at now: Instant) throws(Fault) {
        try write(
            "give receipts back",
            Command(
                .giveBackReceipts, .byteStrings(leased.map(\.state.keyID.digest.bytes)),
                .int8s(leased.map(\.lease)), .moment(now)))
    }

    package func untold(
        _ appIDs: Set<String>, before: Instant, limit: Int
    ) throws(Fault) -> [RiskChange] {
        let find = Command(
            .findUntold, .texts(appIDs.sorted()), .moment(before), .int8(Int64(limit)))
        return try session.perform("find untold changes") { (connection) throws(PostgresError) in
            try riskChanges(in: try self.read(find, connection))
        }
    }

    package func noteTold(_ changes: [RiskChange]) throws(Fault) {
        try write(
            "note told changes",
            Command(
                .noteTold, .byteStrings(changes.map(\.keyID.digest.bytes)),
                .int8s(changes.map { Int64($0.metric) })))
    }

    package func oldestDue(_ appIDs: Set<String>, at now: Instant) throws(Fault) -> Instant? {
        let look = Command(.oldestDue, .texts(appIDs.sorted()), .moment(now))
        return try session.perform("look for due receipts") { (connection) throws(PostgresError) in
            var found: Instant?
            try self.read(look, connection)?.forEach { (row) throws(PostgresError) in
                guard try row.optionalBytes(0) != nil else { return }
                found = Instant(milliseconds: try row.integer(0))
            }
            return found
        }
    }

    package func close() {
        session.close()
    }

    // MARK: - Commands

    private func read(_ command: Command, _ connection: Connection) throws(PostgresError) -> Rows? {
        let results = try connection.run(session.beginning() + [command, Command(.commit)])
        try requireCommit(results.last)
        return results.dropLast().last
    }

    private func write(_ operation: String, _ command: Command) throws(Fault) {
        try session.perform(operation) { (connection) throws(PostgresError) in
            _ = try self.read(command, connection)
        }
    }

    private static func lockPace(_ terms: LeaseTerms, at now: Instant) -> Command {
        let fresh = RefreshPace(at: now, terms.rules)
        return Command(
            .lockPace, .text(terms.fleet), .int8(fresh.tokenThousandths), .moment(fresh.filledAt),
            .int4(fresh.day))
    }

    private static func savePace(_ fleet: String, _ pace: RefreshPace) -> Command {
        Command(
            .savePace, .text(fleet), .int8(pace.tokenThousandths), .moment(pace.filledAt),
            .int4(pace.day), .int8(pace.usedToday), .moment(pace.pausedUntil),
            .int4(pace.troubles))
    }

    private static func take(
        _ keyIDs: [KeyID], at now: Instant, until: Instant
    ) -> Command {
        Command(
            .takeReceipts, .byteStrings(keyIDs.map(\.digest.bytes)), .moment(now), .moment(until))
    }

    private static func park(_ parked: [KeyID: ReceiptEnd?]) -> Command {
        let rows = Array(parked)
        return Command(
            .parkReceipts, .byteStrings(rows.map(\.key.digest.bytes)),
            .texts(rows.map { $0.value?.rawValue }))
    }

    private static func settle(
        _ leased: LeasedReceipt, _ outcome: RefreshOutcome, _ state: ReceiptState
    ) -> Command {
        var receipt: [UInt8]?
        if case .renewed(let bytes, _) = outcome { receipt = bytes }
        return Command(
            .settleReceipt, .bytes(state.keyID.digest.bytes), .int8(leased.lease),
            .optionalBytes(receipt), .moment(state.createdAt), .moment(state.notBefore),
            .moment(state.expiresAt), .optionalInt8(state.metric.map(Int64.init)),
            .moment(state.metricAsOf), .int4(state.failures), .moment(state.nextAttempt),
            .optionalText(state.end?.rawValue), .text(outcome.name))
    }
}

/// The pace of a result, which must have one.
private func requiredPace(in rows: Rows?) throws(PostgresError) -> RefreshPace {
    guard let pace = try refreshPace(in: rows) else {
        throw PostgresError(.unexpectedAnswer("the pace of refreshes has no row"))
    }
    return pace
}
