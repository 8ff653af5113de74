package import AppAttest
package import Worker

/// Made-up receipts, all of one app and attested at one moment.
package enum ReceiptSample {
    /// When keys were attested.
    package static let attestedAt = Instant(milliseconds: 1_700_000_000_000)
    /// When all of them are due.
    package static let hourLater = attestedAt.advanced(by: .seconds(3600))
    /// The usual rules.
    package static let rules = RefreshRules()
    /// All keys of the app.
    package static let terms = LeaseTerms(
        fleet: "TEAMID1234", appIDs: ["TEAMID1234.org.example.app"], rules: rules, countMax: 16)

    /// A registration with a receipt that is to be refreshed.
    package static func registration(
        _ number: Int, at instant: Instant = attestedAt
    ) -> KeyRegistration {
        var registration = Sample.registration(number)
        registration.attestedAt = instant
        let facts = ReceiptFacts(
            createdAt: instant, notBefore: nil, expiresAt: instant.advanced(by: days(90)),
            metric: nil)
        registration.refresh = ReceiptState(registration.key.keyID, facts, rules)
        return registration
    }

    /// What a receipt from Apple says.
    package static func facts(at instant: Instant, metric: UInt32) -> ReceiptFacts {
        ReceiptFacts(
            createdAt: instant, notBefore: instant.advanced(by: days(1)),
            expiresAt: instant.advanced(by: days(90)), metric: metric)
    }

    private static func days(_ count: Int) -> Duration { .seconds(count * 86_400) }
}

extension ReceiptStore {
    /// Takes what is due of the app.
    func lease(at now: Instant) throws(Fault) -> LeaseGrant {
        try lease(ReceiptSample.terms, at: now)
    }
}

extension KeyStore {
    /// Where a key's receipt stands.
    func standing(of keyID: KeyID) throws(Fault) -> ReceiptStanding? {
        var reads = BatchReads(partitions: [], keyIDs: [keyID], requests: [])
        reads.wantsStandings = true
        return try look(reads).standings[keyID]
    }

    /// A request of a key is accepted.
    func see(_ number: Int, at instant: Instant) throws(Fault) {
        let keyID = Sample.keyID(number)
        let reads = BatchReads(partitions: [], keyIDs: [keyID], requests: [])
        let writes = BatchWrites(sightings: [keyID: Sighting(day: instant.day, due: instant)])
        try transact(reads) { _ in (writes: writes, result: ()) }
    }
}
