internal import AppAttest
internal import LibCrypto
internal import Wire
internal import Worker

// Rows of receipts <-> the worker's values.

/// Where receipts stand, of a result.
func receiptStandings(
    in rows: Rows?
) throws(PostgresError) -> [KeyID: ReceiptStanding] {
    var found: [KeyID: ReceiptStanding] = [:]
    try rows?.forEach { (row) throws(PostgresError) in
        found[KeyID(try row.digest(0))] = ReceiptStanding(
            seenOn: try row.integer(1), metric: try row.optionalMetric(2),
            metricAsOf: try row.optionalInstant(3))
    }
    return found
}

/// The command that looks where receipts stand.
func readStandings(_ keyIDs: Set<KeyID>) -> Command {
    Command(.readStandings, .byteStrings(keyIDs.map(\.digest.bytes)))
}

/// The due rows of a result, in its order.
func dueReceipts(in rows: Rows?) throws(PostgresError) -> [DueReceipt] {
    var found: [DueReceipt] = []
    try rows?.forEach { (row) throws(PostgresError) in
        guard let status = KeyStatus(rawValue: try row.text(3)) else { throw row.unexpected(3) }
        found.append(
            DueReceipt(
                keyID: KeyID(try row.digest(0)), seenOn: try row.integer(1),
                expiresAt: Instant(milliseconds: try row.integer(2)), status: status,
                hasReceipt: try row.bytes(4) == [1]))
    }
    return found
}

/// The receipts of a result of ``Statement/takeReceipts``; those without bytes are left out.
func leasedReceipts(
    in rows: Rows?, until nextAttempt: Instant
) throws(PostgresError) -> [LeasedReceipt] {
    var found: [LeasedReceipt] = []
    try rows?.forEach { (row) throws(PostgresError) in
        guard let environment = AttestationEnvironment(rawValue: try row.text(2)) else {
            throw row.unexpected(2)
        }
        guard let receipt = try row.optionalBytes(5) else { return }
        let state = ReceiptState(
            keyID: KeyID(try row.digest(0)),
            createdAt: Instant(milliseconds: try row.integer(6)),
            notBefore: try row.optionalInstant(7),
            expiresAt: Instant(milliseconds: try row.integer(8)),
            metric: try row.optionalMetric(9), metricAsOf: try row.optionalInstant(10),
            failures: try row.integer(11), nextAttempt: nextAttempt)
        found.append(
            LeasedReceipt(
                state: state, appID: try row.text(1), environment: environment,
                publicKey: try row.bytes(3), receipt: receipt, lease: try row.integer(4)))
    }
    return found
}

/// What keeps an operator from asking about the receipt of a result of
/// ``Statement/findReceiptByHand``; nil if nothing does.
func handObstacle(
    in rows: Rows?, at now: Instant, _ rules: RefreshRules
) throws(PostgresError) -> HandLease? {
    var found: HandLease? = .unknown
    try rows?.forEach { (row) throws(PostgresError) in
        found = HandLease.obstacle(
            attemptedAt: try row.optionalInstant(0), nextAttempt: try row.optionalInstant(1),
            notBefore: try row.optionalInstant(2), at: now, rules)
    }
    return found
}

/// The pace of a result; nil if it has none.
func refreshPace(in rows: Rows?) throws(PostgresError) -> RefreshPace? {
    var found: RefreshPace?
    try rows?.forEach { (row) throws(PostgresError) in
        found = RefreshPace(
            tokenThousandths: try row.integer(0),
            filledAt: Instant(milliseconds: try row.integer(1)), day: try row.integer(2),
            usedToday: try row.integer(3), pausedUntil: try row.optionalInstant(4),
            troubles: try row.integer(5))
    }
    return found
}

/// The untold changes of a result, in its order.
func riskChanges(in rows: Rows?) throws(PostgresError) -> [RiskChange] {
    var found: [RiskChange] = []
    try rows?.forEach { (row) throws(PostgresError) in
        guard let environment = AttestationEnvironment(rawValue: try row.text(2)) else {
            throw row.unexpected(2)
        }
        // A metric is never taken back, so what was told and is none any more can't be.
        guard let metric = try row.optionalMetric(4) else { throw row.unexpected(4) }
        found.append(
            RiskChange(
                keyID: KeyID(try row.digest(0)), appID: try row.text(1), environment: environment,
                subject: try row.optionalText(3), metric: metric,
                previousMetric: try row.optionalMetric(5),
                asOf: Instant(milliseconds: try row.integer(6))))
    }
    return found
}

/// Where a key's newest receipt stands, in eight columns of a row; nil if nothing is known of one.
func keyRefresh(in row: Row, from first: Int32) throws(PostgresError) -> KeyRecord.Refresh? {
    guard let createdAt = try row.optionalInstant(first) else { return nil }
    var refresh = KeyRecord.Refresh(
        createdAt: createdAt, expiresAt: Instant(milliseconds: try row.integer(first + 1)),
        seenOn: try row.integer(first + 4))
    refresh.metric = try row.optionalMetric(first + 2)
    refresh.metricAsOf = try row.optionalInstant(first + 3)
    refresh.lastResult = try row.optionalText(first + 5)
    refresh.nextAttempt = try row.optionalInstant(first + 6)
    if let end = try row.optionalText(first + 7) {
        guard let known = ReceiptEnd(rawValue: end) else { throw row.unexpected(first + 7) }
        refresh.end = known
    }
    return refresh
}

/// The command that stores the receipts of registrations; nil where none came with them.
func storeReceipts(_ registrations: [KeyRegistration]) -> Command? {
    let fresh = registrations.compactMap { registration in
        registration.refresh.map { (registration, $0) }
    }
    guard !fresh.isEmpty else { return nil }
    return Command(
        .storeReceipts, .byteStrings(fresh.map { $0.0.key.keyID.digest.bytes }),
        .texts(fresh.map(\.0.key.appID)), .optionalTimestamps(fresh.map(\.1.createdAt)),
        .optionalTimestamps(fresh.map(\.1.notBefore)),
        .optionalTimestamps(fresh.map(\.1.expiresAt)), .int4s(fresh.map(\.0.attestedAt.day)),
        .optionalTimestamps(fresh.map(\.1.nextAttempt)))
}

/// The command that notes that keys were seen.
func noteSeen(_ sightings: [KeyID: Sighting]) -> Command {
    let rows = sightings.sorted { $0.key < $1.key }
    return Command(
        .noteSeen, .byteStrings(rows.map(\.key.digest.bytes)), .int4s(rows.map(\.value.day)),
        .optionalTimestamps(rows.map(\.value.due)))
}

extension Parameter {
    /// Moments; what is beyond the column's range is its end, which no genuine one comes near.
    static func optionalTimestamps(_ instants: [Instant?]) -> Parameter {
        optionalTimestamps(instants.map { $0?.clampedTimestamp })
    }

    /// A moment, clamped likewise.
    static func moment(_ instant: Instant?) -> Parameter {
        .optionalTimestamp(instant?.clampedTimestamp)
    }
}

extension Instant {
    /// As ``postgresTimestamp``, within the years 1970 to 9999.
    fileprivate var clampedTimestamp: Int64 {
        let clamped = min(max(milliseconds, 0), 253_402_300_799_000)
        return Instant(milliseconds: clamped).postgresTimestamp ?? 0
    }
}

extension Row {
    /// A moment in milliseconds since 1970 that may be NULL.
    fileprivate func optionalInstant(_ column: Int32) throws(PostgresError) -> Instant? {
        guard try optionalBytes(column) != nil else { return nil }
        return Instant(milliseconds: try integer(column))
    }

    /// A risk metric that may be NULL.
    fileprivate func optionalMetric(_ column: Int32) throws(PostgresError) -> UInt32? {
        guard try optionalBytes(column) != nil else { return nil }
        guard let metric = UInt32(exactly: try integer(column, as: Int64.self)) else {
            throw unexpected(column)
        }
        return metric
    }
}
