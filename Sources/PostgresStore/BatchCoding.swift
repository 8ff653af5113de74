internal import AppAttest
internal import LibCrypto
internal import Worker

// Rows of the database <-> the worker's values.

/// The progress rows of a result.
func progress(in rows: Rows) throws(PostgresError) -> [TopicPartition: Progress] {
    var found: [TopicPartition: Progress] = [:]
    try rows.forEach { (row) throws(PostgresError) in
        let partition = TopicPartition(topic: try row.text(0), partition: try row.integer(1))
        found[partition] = Progress(
            epoch: try row.integer(2), nextOffset: try row.integer(3),
            publishedOffset: try row.integer(4), lastTimestampMilliseconds: try row.integer(5))
    }
    return found
}

/// The keys of a result.
func storedKeys(in rows: Rows) throws(PostgresError) -> [KeyID: StoredKey] {
    var found: [KeyID: StoredKey] = [:]
    found.reserveCapacity(rows.count)
    var appID = ""
    try rows.forEach { (row) throws(PostgresError) in
        let key = try storedKey(in: row, likelyApp: appID)
        appID = key.appID
        found[key.keyID] = key
    }
    return found
}

/// The key in the columns of ``Statement/keyColumns``, the first of a row.
///
/// - Parameters:
///   - row: the row.
///   - likelyApp: the app that the key belongs to most likely.
/// - Returns: the key.
/// - Throws: when a value is not as the schema has it.
func storedKey(in row: Row, likelyApp: String = "") throws(PostgresError) -> StoredKey {
    guard let environment = AttestationEnvironment(rawValue: try row.text(2)) else {
        throw row.unexpected(2)
    }
    guard let signCount = UInt32(exactly: try row.integer(4, as: Int64.self)) else {
        throw row.unexpected(4)
    }
    guard let status = KeyStatus(rawValue: try row.text(6)) else { throw row.unexpected(6) }
    guard let attestedBy = KeyAuthority(rawValue: try row.text(7)) else { throw row.unexpected(7) }
    return StoredKey(
        keyID: KeyID(try row.digest(0)), appID: try row.text(1, likely: likelyApp),
        environment: environment,
        publicKey: try row.bytes(3), signCount: signCount, subject: try row.optionalText(5),
        status: status, attestedBy: attestedBy,
        certificate: try row.optionalBytes(8).map { CertificateSerial($0) },
        attestedOn: try row.optionalDay(9), lastUsedOn: try row.optionalDay(10),
        window: try window(in: row), reattested: try row.optionalFlag(13))
}

/// The window in a row of keys.
private func window(in row: Row) throws(PostgresError) -> SeenCounts? {
    guard try !row.isNull(11) else { return nil }
    guard let highest = UInt32(exactly: try row.integer(11, as: Int64.self)) else {
        throw row.unexpected(11)
    }
    return SeenCounts(
        highest: highest, bits: UInt64(bitPattern: try row.integer(12, as: Int64.self)))
}

/// The inbox rows of a result, under the identities that were asked for.
func entries(
    in rows: Rows, asked: Set<RequestIdentity>
) throws(PostgresError) -> [RequestIdentity: InboxEntry] {
    guard rows.count > 0 else { return [:] }
    var identities: [[UInt8]: RequestIdentity] = [:]
    for identity in asked { identities[identity.storedBytes] = identity }
    var found: [RequestIdentity: InboxEntry] = [:]
    try rows.forEach { (row) throws(PostgresError) in
        guard let identity = identities[try row.bytes(0)] else { throw row.unexpected(0) }
        found[identity] = InboxEntry(
            identity: identity, contentDigest: try row.digest(1), verdict: try row.bytes(2))
    }
    return found
}

/// The commands that store a batch, or why it must not be stored.
///
/// - Parameters:
///   - writes: what was decided.
///   - state: what was found under lock.
///   - group: the consumer group.
/// - Returns: the commands, in the order of locks.
/// - Throws: `.fenced` if an epoch is not the row's, `.poison` if a value fits no column,
///   `.stop(.software)` if a sign count belongs to a key that is neither locked nor new.
func writeCommands(
    _ writes: BatchWrites, state: BatchState, group: String
) throws(Fault) -> [Command] {
    guard writes.progress.allSatisfy({ state.progress[$0.key]?.epoch == $0.value.epoch }) else {
        throw fenced("store batch")
    }
    let fresh = writes.registrations.filter { state.keys[$0.key.keyID] == nil }
    let registered = Set(fresh.map(\.key.keyID))
    guard
        writes.uses.keys.allSatisfy({ state.keys[$0] != nil || registered.contains($0) })
    else {
        throw Fault(
            operation: "store batch", code: "missing_row", disposition: .stop(.software),
            message: "a sign count was to be raised on a key that is not stored")
    }
    // A tombstone takes nothing back: its owner asked for its erasure.
    let attested = writes.registrations.filter { state.keys[$0.key.keyID]?.status != .erased }
    var commands: [Command] = []
    if !fresh.isEmpty { commands.append(insertKeys(fresh).changing(fresh.count)) }
    if !attested.isEmpty {
        commands.append(try storeAttestations(attested).changing(attested.count))
    }
    if !writes.inbox.isEmpty {
        commands.append(insertInbox(writes.inbox).changing(writes.inbox.count))
    }
    if !writes.once.isEmpty {
        commands.append(try insertUsed(writes.once).changing(writes.once.count))
    }
    if let audit = writes.audit, !audit.entries.isEmpty {
        commands.append(insertAudit(audit).changing(audit.entries.count))
    }
    if !writes.uses.isEmpty {
        commands.append(recordUses(writes.uses).changing(writes.uses.count))
    }
    // Not counted: a newer receipt stays, and so does a later day.
    if let receipts = storeReceipts(attested) { commands.append(receipts) }
    if !writes.sightings.isEmpty { commands.append(noteSeen(writes.sightings)) }
    if !writes.progress.isEmpty {
        commands.append(
            advanceProgress(writes.progress, group).changing(writes.progress.count))
    }
    // The last, as its lock may be waited for: see there. Not counted: it may be there already.
    if let audit = writes.audit, !audit.entries.isEmpty {
        commands.append(insertBasis(audit.basis))
    }
    return commands
}

private func insertKeys(_ registrations: [KeyRegistration]) -> Command {
    let keys = registrations.map(\.key)
    return Command(
        .insertKeys, .byteStrings(keys.map(\.keyID.digest.bytes)), .texts(keys.map(\.appID)),
        .texts(keys.map(\.environment.rawValue)), .byteStrings(keys.map(\.publicKey)),
        .int8s(keys.map { Int64($0.signCount) }), .texts(keys.map(\.subject)),
        .texts(keys.map(\.status.rawValue)), .texts(keys.map(\.attestedBy.rawValue)),
        .optionalByteStrings(keys.map(\.certificate?.bytes)),
        .days(keys.map(\.attestedOn)), .days(keys.map(\.lastUsedOn)))
}

private func storeAttestations(_ registrations: [KeyRegistration]) throws(Fault) -> Command {
    var instants: [Int64] = []
    for registration in registrations {
        guard let instant = registration.attestedAt.postgresTimestamp else {
            throw Fault(
                operation: "store batch", code: "22008", disposition: .poison,
                message: "the instant of an attestation is out of range")
        }
        instants.append(instant)
    }
    return Command(
        .storeAttestations, .byteStrings(registrations.map(\.key.keyID.digest.bytes)),
        .byteStrings(registrations.map(\.receipt)), .texts(registrations.map(\.platform)),
        .texts(registrations.map(\.osVersion)), .timestamps(instants))
}

private func insertInbox(_ entries: [InboxEntry]) -> Command {
    Command(
        .insertInbox, .uuids(entries.map(\.identity.storedBytes)),
        .byteStrings(entries.map(\.contentDigest.bytes)), .byteStrings(entries.map(\.verdict)))
}

private func recordUses(_ uses: [KeyID: KeyUse]) -> Command {
    let rows = Array(uses)
    return Command(
        .recordUses, .byteStrings(rows.map(\.key.digest.bytes)),
        .int8s(rows.map { Int64($0.value.signCount) }), .days(rows.map(\.value.usedOn)),
        .days(rows.map(\.value.attestedOn)),
        .int8s(rows.map { $0.value.window.map { Int64($0.highest) } }),
        .int8s(rows.map { $0.value.window.map { Int64(bitPattern: $0.bits) } }))
}

private func advanceProgress(_ progress: [TopicPartition: Progress], _ group: String) -> Command {
    let rows = Array(progress)
    return Command(
        .advanceProgress, .text(group), .texts(rows.map(\.key.topic)),
        .int4s(rows.map(\.key.partition)), .int8s(rows.map(\.value.epoch)),
        .int8s(rows.map(\.value.nextOffset)), .int8s(rows.map(\.value.publishedOffset)),
        .int8s(rows.map(\.value.lastTimestampMilliseconds)))
}

extension Instant {
    /// Microseconds between the Unix epoch and PostgreSQL's, 2000-01-01T00:00:00Z.
    private static let postgresEpoch: Int64 = 946_684_800_000_000

    /// Microseconds since 2000, as `timestamptz` counts; nil where 64 bits don't hold them.
    var postgresTimestamp: Int64? {
        let (microseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1000)
        let (timestamp, underflow) = microseconds.subtractingReportingOverflow(Self.postgresEpoch)
        // The extremes are PostgreSQL's infinities.
        guard !overflow, !underflow, timestamp != .max, timestamp != .min else { return nil }
        return timestamp
    }
}
