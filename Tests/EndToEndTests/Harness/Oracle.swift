import Testing
import Wire
import Worker

/// The one judge of every test with load: what must hold whatever was killed, frozen or cut off.
///
/// - Accepted (key, sign count) pairs in PostgreSQL are those of the distinct valid requests.
/// - Every request has a verdict, the right one: none is a false replay.
/// - All verdicts of a request are equal, byte for byte, and equal to what PostgreSQL keeps.
/// - First verdicts on one key's requests come in the order of their offsets.
/// - No committed offset is ahead of a delivered verdict.
struct Oracle {
    private let world: World
    private let plan: [[UInt8]: PlannedRequest]

    init(_ world: World, _ load: Load) {
        self.world = world
        plan = Dictionary(load.requests.map { ($0.record.value ?? [], $0) }) { first, _ in first }
    }

    /// Waits until each request on the topic is answered; call it when all are sent.
    func waitUntilAnswered(within limit: Duration, _ workers: [ChildProcess]) async throws {
        let expected = try await expectedAnswers().keys
        var missing: [String] = []
        try await eventually(
            "\(world.name): \(missing.count) of \(expected.count) requests have no verdict, "
                + "such as \(missing.sorted().prefix(3)); \(workers)", within: limit
        ) {
            let answers = try await world.answers()
            missing = expected.filter { answers[$0] == nil }
            return missing.isEmpty
        }
        try await waitUntilCommitted(workers)
    }

    /// Waits until the group has committed all there is.
    ///
    /// The mock broker refuses commits while the group rebalances: what was refused is answered
    /// and committed once more by the next owner, so it is done as long as workers are there.
    private func waitUntilCommitted(_ workers: [ChildProcess]) async throws {
        try await eventually(
            "\(world.name): what is answered shall be committed; \(workers)", within: .seconds(90)
        ) {
            try await world.requests.positions().values.allSatisfy {
                $0.high == 0 || $0.committed == $0.high
            }
        }
    }

    /// Checks that every committed record has its verdict, at this moment.
    ///
    /// The order of the two looks matters: what is committed now was delivered before.
    func expectNothingAhead() async throws {
        let positions = try await world.requests.positions()
        let answers = try await world.answers()
        var ahead: [RecordPlace] = []
        for record in try await world.requests.readOn() {
            guard let committed = positions[record.partition]?.committed,
                record.place.offset < committed
            else { continue }
            if answers[identity(try planned(record), record)] == nil { ahead.append(record.place) }
        }
        #expect(ahead.isEmpty, "\(world.name): committed without a verdict")
    }

    /// Checks everything, after the last request was answered.
    func expectEverythingRight() async throws {
        let expected = try await expectedAnswers()
        let answers = try await world.answers()
        #expect(Set(answers.keys) == Set(expected.keys), "\(world.name): answers and requests")
        for (identity, request) in expected {
            guard let bytes = answers[identity], let first = bytes.first else { continue }
            let verdict = try PublishedVerdict(parsing: first)
            #expect(Set(bytes).count == 1, "\(world.name): \(identity) has differing verdicts")
            #expect(
                Expectation(verdict).fulfils(request.expectation),
                "\(world.name): \(identity) shall be \(request.expectation), is \(verdict)")
            #expect(verdict.keyId == request.keyID)
        }
        let stored = try await world.storedVerdicts()
        #expect(Set(stored).count == stored.count, "\(world.name): a request is stored twice")
        #expect(
            Set(stored) == Set(answers.values.flatMap(\.self)),
            "\(world.name): the inbox differs from what was published")
        try await expectSignCounts(stored, expected.values)
        try await expectOrder()
        try await expectNothingAhead()
        let deadLetters = try await world.deadLetters.readOn()
        #expect(deadLetters.isEmpty, "\(world.name): dead letters of readable requests")
        let records = try await world.requests.readOn().count
        let verdicts = try await world.verdicts.readOn().count
        print("\(world.name): \(records) records, \(verdicts - records) answered once more")
    }

    /// Checks that the group has committed all there is: after a clean stop.
    func expectAllCommitted() async throws {
        for (partition, position) in try await world.requests.positions() where position.high > 0 {
            #expect(
                position.committed == position.high,
                "\(world.name)[\(partition.partition)]: finished, not committed")
        }
    }

    // MARK: - Parts

    /// Each accepted sign count, from the inbox, against the plan; and each key's highest one.
    private func expectSignCounts(
        _ stored: [[UInt8]], _ requests: some Sequence<PlannedRequest>
    ) async throws {
        let accepted = try stored.map(PublishedVerdict.init(parsing:))
            .filter { $0.outcome == "accepted" && $0.type == "assertion" }
            .map { "\($0.keyId ?? "none") \($0.signCount.map(String.init) ?? "none")" }
        var valid: [String] = []
        var highest: [String: UInt32] = [:]
        for request in requests {
            if let count = request.acceptedSignCount {
                valid.append("\(request.keyID) \(count)")
                highest[request.keyID] = max(highest[request.keyID] ?? 0, count)
            } else if request.expectation == .accepted(reattested: false) {
                highest[request.keyID] = highest[request.keyID] ?? 0
            }
        }
        #expect(accepted.sorted() == valid.sorted(), "\(world.name): accepted sign counts")
        let keys = try await world.database.query(
            "SELECT encode(key_id, 'base64'), sign_count FROM attest.keys")
        #expect(
            keys.map { "\($0[0]) \($0[1])" }.sorted()
                == highest.map { "\($0.key) \($0.value)" }.sorted(),
            "\(world.name): sign counts of keys")
    }

    private func expectOrder() async throws {
        var latest: [String: Int64] = [:]
        var seen: Set<String> = []
        for record in try await world.verdicts.readOn() {
            let verdict = try PublishedVerdict(parsing: record.value ?? [])
            guard seen.insert(verdict.verdictId).inserted, let key = verdict.keyId else { continue }
            #expect(
                verdict.source.offset > latest[key] ?? -1,
                "\(world.name): a verdict on \(verdict.source) overtook an earlier one")
            latest[key] = verdict.source.offset
        }
    }

    /// What the request topic holds by now, by identity; repetitions are one.
    private func expectedAnswers() async throws -> [String: PlannedRequest] {
        var expected: [String: PlannedRequest] = [:]
        for record in try await world.requests.readOn() {
            let request = try planned(record)
            expected[identity(request, record)] = request
        }
        return expected
    }

    private func planned(_ record: Record) throws -> PlannedRequest {
        guard let request = plan[record.value ?? []] else {
            throw HarnessFailure("\(record.place) holds a record that nobody planned")
        }
        return request
    }

    private func identity(_ request: PlannedRequest, _ record: Record) -> String {
        request.requestID ?? World.identity(partition: record.place.partition, record.place.offset)
    }
}
