import AppAttest
import AttestTestKit
import KeyStoreSuite
import LibCrypto
import Testing
import Wire
import Worker

/// What a lane does when the world around it is not as it should be.
@Suite struct LaneTests {
    private func answers(_ world: LaneWorld) throws -> [String: String] {
        var answers: [String: String] = [:]
        for verdict in try world.verdicts() {
            answers[verdict.requestId ?? ""] = verdict.reason ?? verdict.outcome
        }
        return answers
    }

    @Test func `a request id used for other content is a conflict and changes nothing`() throws {
        var scenario = Scenario()
        var device = Scenario.device(41)
        scenario.register(device, partition: 0)
        let first = scenario.assert(&device, partition: 0)
        let other = device.assert(clientDataHash: ClientDataHash(hashing: [1]), signCount: 9)
        scenario.request(
            "assertion", other.object, of: device, clientData: [1], partition: 0, id: first.id,
            answer: nil)
        let world = LaneWorld(scenario)
        #expect(world.finish(batch: 1, policy: try Scenario.policy()) == nil)
        let verdicts = try world.verdicts().filter { $0.requestId == first.id }
        #expect(verdicts.map(\.outcome) == ["accepted", "rejected"])
        #expect(verdicts.last?.reason == "request_id_conflict")
        #expect(Set(verdicts.map(\.verdictId)).count == 2)
        world.kafka.committed[world.partitions[0]] = 2
        #expect(world.finish(batch: 1, policy: try Scenario.policy()) == nil)
        let conflicts = world.kafka.published.suffix(2)
        #expect(Set(conflicts.map(\.value)).count == 1, "a conflict that comes again is the same")
        let marks = conflicts.map { record in
            record.headers.contains { $0.name == "attest-redelivered" }
        }
        #expect(marks == [false, true])
        #expect(world.database.rows.keys[device.keyID]?.key.signCount == 1)
    }

    @Test func `the same request in two partitions is decided once`() throws {
        var scenario = Scenario()
        var device = Scenario.device(42)
        scenario.register(device, partition: 0)
        let sent = scenario.assert(&device, partition: 0)
        scenario.send(sent, of: device, partition: 1, id: sent.id, answer: nil)
        let world = LaneWorld(scenario)
        #expect(world.finish(batch: 10, policy: try Scenario.policy()) == nil)
        try world.checkOracle("twins")
        #expect(try world.verdicts().count { $0.requestId == sent.id } == 2)
    }

    @Test func `repeats say so in a header`() throws {
        var scenario = Scenario()
        let device = Scenario.device(43)
        scenario.register(device, partition: 0)
        let world = LaneWorld(scenario)
        let policy = try Scenario.policy()
        #expect(world.finish(batch: 10, policy: policy) == nil)
        world.kafka.committed[world.partitions[0]] = 0
        #expect(world.finish(batch: 10, policy: policy) == nil)
        let marks = world.kafka.published.map { record in
            record.headers.contains { $0.name == "attest-redelivered" }
        }
        #expect(marks == [false, true])
        #expect(world.kafka.published[0].value == world.kafka.published[1].value)
    }

    @Test func `a decided request that was pruned is stale, never a replay`() throws {
        let scenario = Scenario.mixed()
        let world = LaneWorld(scenario)
        let policy = try Scenario.policy()
        #expect(world.finish(batch: 4, policy: policy) == nil)
        let before = world.database.rows.keys.mapValues(\.key.signCount)
        world.database.change { $0.inbox.removeAll() }
        for partition in world.partitions { world.kafka.committed[partition] = 0 }
        let published = world.kafka.published.count
        #expect(world.finish(batch: 4, policy: policy) == nil)
        let again = try world.kafka.published[published...].filter { $0.topic == "verdicts" }.map {
            try ReceivedVerdict(parsing: $0.value ?? [])
        }
        #expect(!again.isEmpty)
        #expect(Set(again.compactMap(\.reason)) == ["stale_request"])
        #expect(world.database.rows.keys.mapValues(\.key.signCount) == before)
    }

    @Test func `a topic made anew is decided, not taken for repeats`() throws {
        var scenario = Scenario()
        var device = Scenario.device(44)
        scenario.register(device, partition: 0)
        for _ in 0..<5 { scenario.assert(&device, partition: 0) }
        let world = LaneWorld(scenario)
        let policy = try Scenario.policy()
        #expect(world.finish(batch: 10, policy: policy) == nil)
        world.kafka.recreate(world.partitions[0])
        var anew = Scenario()
        anew.append(nil, partition: 0)
        let payload = Array("anew".utf8)
        let minted = device.assert(clientDataHash: ClientDataHash(hashing: payload))
        anew.request(
            "assertion", minted.object, of: device, clientData: payload, partition: 0,
            id: "anew", answer: "accepted")
        world.kafka.append(anew.records)
        #expect(world.finish(batch: 10, policy: policy) == nil)
        #expect(try answers(world)["anew"] == "accepted")
    }

    @Test func `a topic made anew that has outgrown the former one is read from its start`() throws
    {
        var scenario = Scenario()
        var device = Scenario.device(45)
        scenario.register(device, partition: 0)
        let world = LaneWorld(scenario)
        let policy = try Scenario.policy()
        #expect(world.finish(batch: 10, policy: policy) == nil)
        world.kafka.recreate(world.partitions[0])
        var anew = Scenario()
        for number in 0..<5 {
            let payload = Array("anew \(number)".utf8)
            let minted = device.assert(clientDataHash: ClientDataHash(hashing: payload))
            anew.request(
                "assertion", minted.object, of: device, clientData: payload, partition: 0,
                id: "anew \(number)", timestamp: Scenario.now.milliseconds + 60_000,
                answer: "accepted")
        }
        world.kafka.append(anew.records)
        #expect(world.finish(batch: 2, policy: policy) == nil)
        for number in 0..<5 { #expect(try answers(world)["anew \(number)"] == "accepted") }
    }

    @Test func `a timestamp from the future does not make later records look decided`() throws {
        var scenario = Scenario()
        var device = Scenario.device(50)
        scenario.register(device, partition: 0)
        scenario.append(
            Array("{}".utf8), partition: 0, timestamp: Scenario.now.milliseconds + 86_400_000)
        scenario.append(
            scenario.records[0].value, partition: 0,
            timestamp: Scenario.now.milliseconds + 366 * 86_400_000)
        let world = LaneWorld(scenario)
        let policy = try Scenario.policy()
        #expect(world.finish(batch: 10, policy: policy) == nil)
        world.kafka.recreate(world.partitions[0])
        var anew = Scenario()
        let payload = Array("anew".utf8)
        let minted = device.assert(clientDataHash: ClientDataHash(hashing: payload))
        for id in ["one", "two", "three", "four", "five"] {
            anew.request(
                "assertion", minted.object, of: device, clientData: payload, partition: 0, id: id,
                timestamp: Scenario.now.milliseconds + 60_000, answer: nil)
        }
        world.kafka.append(anew.records)
        #expect(world.finish(batch: 10, policy: policy) == nil)
        #expect(try answers(world)["one"] == "accepted")
        #expect(try !world.verdicts().contains { $0.reason == "stale_request" })
    }

    @Test func `lost commits are decided again from where the database is`() throws {
        let scenario = Scenario.mixed()
        let world = LaneWorld(scenario)
        let policy = try Scenario.policy()
        var copy: InMemoryDatabase.Rows?
        let member = world.kafka.join()
        world.kafka.assign(world.partitions, to: member)
        var (transactions, moves) = (0, 0)
        let end = world.runLane(
            batch: 2, member: member, policy: policy,
            hook: { name throws(Fault) in
                if transactions >= 5, name == "start before" { moves += 1 }
                guard name == "begin before" else { return }
                transactions += 1
                if transactions == 3 { copy = world.database.rows }
                // A failover to a replica that lags: what was committed since is gone.
                if transactions == 5, let copy { world.database.rows = copy }
            })
        #expect(end == nil)
        try world.checkOracle("after the failover")
        #expect(world.partitions.count > 1)
        #expect(moves == 1, "each move makes the client fetch everything anew")
    }

    @Test func `a restored database is noticed at the next start`() throws {
        let scenario = Scenario.mixed()
        let world = LaneWorld(scenario)
        let policy = try Scenario.policy()
        var copy: InMemoryDatabase.Rows?
        let member = world.kafka.join()
        world.kafka.assign(world.partitions, to: member)
        let end = world.runLane(
            batch: 2, member: member, policy: policy,
            hook: { name throws(Fault) in
                if name == "commit before", copy == nil, !world.database.rows.keys.isEmpty {
                    copy = world.database.rows
                }
            })
        #expect(end == nil)
        world.database.rows = try #require(copy)
        #expect(world.finish(batch: 2, policy: policy) == nil)
        try world.checkOracle("after the restore")
    }

    @Test func `a key that the database refuses is answered, and so is the rest`() throws {
        var scenario = Scenario()
        var good = Scenario.device(51)
        let bad = Scenario.device(52)
        scenario.register(good, partition: 0)
        scenario.register(bad, partition: 0, answer: WorkerReason.unprocessable.rawValue)
        scenario.assert(&good, partition: 0)
        let world = LaneWorld(scenario)
        let member = world.kafka.join()
        world.kafka.assign(world.partitions, to: member)
        let refused = bad.keyID
        let end = world.runLane(
            batch: 100, member: member, policy: try Scenario.policy(),
            poison: { writes in writes.registrations.contains { $0.key.keyID == refused } })
        #expect(end == nil)
        try world.checkOracle("a refused key")
        #expect(!world.kafka.published.contains { $0.topic == "dead" })
        world.kafka.committed[world.partitions[0]] = 0
        #expect(world.finish(batch: 100, policy: try Scenario.policy()) == nil)
        try world.checkOracle("a refused key, again")
    }

    @Test func `a row the database refuses is set aside and the rest is decided`() throws {
        let scenario = Scenario.mixed()
        let poisoned = "request-5"
        let world = LaneWorld(scenario)
        let identity = RequestIdentity(
            requestID: RequestID(poisoned),
            place: RecordPlace(topic: "", partition: 0, offset: 0), timestampMilliseconds: nil)
        let member = world.kafka.join()
        world.kafka.assign(world.partitions, to: member)
        let end = world.runLane(
            batch: 100, member: member, policy: try Scenario.policy(),
            poison: { writes in writes.inbox.contains { $0.identity == identity } })
        #expect(end == nil)
        #expect(world.kafka.isDrained)
        let answers = try answers(world)
        #expect(answers[poisoned] == nil)
        for expectation in scenario.expectations where expectation.requestID != poisoned {
            #expect(answers[expectation.requestID] != nil, "\(expectation.requestID)")
        }
        let letters = world.kafka.published.filter { $0.topic == "dead" }
        #expect(letters.count == scenario.deadLetters + 1)
        let states = letters.compactMap { letter in
            letter.headers.first { $0.name == "error_sqlstate" }?.value
        }
        #expect(states == [Array("22021".utf8)])
    }

    @Test func `a flood of dead letters halts the lane with the records kept`() throws {
        var scenario = Scenario()
        for _ in 0..<20 { scenario.garbage(partition: 0) }
        let world = LaneWorld(scenario)
        let member = world.kafka.join()
        world.kafka.assign(world.partitions, to: member)
        var limits = LaneLimits()
        limits.deadLettersInARowMax = 10
        let end = world.runLane(
            batch: 4, member: member, policy: try Scenario.policy(), limits: limits)
        #expect(end?.code == "dead_letter_flood")
        #expect(end?.disposition == .stop(.incompatible))
        #expect(world.kafka.published.count == 8)
        #expect(world.kafka.committed[world.partitions[0]] == 8)
    }

    @Test func `while the database is away, a revocation is answered and its records dropped`()
        throws
    {
        let scenario = Scenario.mixed()
        let world = LaneWorld(scenario)
        let policy = try Scenario.policy()
        let first = world.kafka.join()
        let second = world.kafka.join()
        world.kafka.assign(world.partitions, to: first)
        var failures = 0
        let end = world.runLane(
            batch: 100, member: first, policy: policy,
            hook: { name throws(Fault) in
                guard name == "begin before", failures < 8 else { return }
                failures += 1
                if failures == 3 { world.kafka.assign([world.partitions[0]], to: second) }
                throw Fault(
                    operation: "lock", code: "08006", disposition: .retry, message: "no server")
            },
            idle: {
                guard world.kafka.committed[world.partitions[1]] ?? 0 > 0 else { return }
                if world.kafka.committed[world.partitions[0]] == nil {
                    _ = world.runLane(batch: 100, member: second, policy: policy)
                }
            })
        #expect(end == nil)
        try world.checkOracle("revoked while blocked")
    }

    @Test func `a stop while the database is away ends at the drain deadline`() throws {
        let scenario = Scenario.mixed()
        let world = LaneWorld(scenario)
        let member = world.kafka.join()
        world.kafka.assign(world.partitions, to: member)
        let stop = StopSignal()
        let end = world.runLane(
            batch: 100, member: member, policy: try Scenario.policy(), stop: stop,
            hook: { name throws(Fault) in
                guard name == "begin before" else { return }
                stop.request()
                throw Fault(
                    operation: "lock", code: "08006", disposition: .retry, message: "no server")
            })
        #expect(end?.disposition == .stop(.drainDeadline))
        #expect(world.kafka.committed.isEmpty)
        #expect(world.finish(batch: 100, policy: try Scenario.policy()) == nil)
        try world.checkOracle("after the drain deadline")
    }

    @Test func `lost decisions whose records are gone halt the lane`() throws {
        let scenario = Scenario.mixed()
        let world = LaneWorld(scenario)
        let policy = try Scenario.policy()
        #expect(world.finish(batch: 4, policy: policy) == nil)
        world.database.change { rows in
            for id in rows.progress.keys {
                rows.progress[id]?.nextOffset = 1
                rows.progress[id]?.publishedOffset = 1
            }
        }
        for partition in world.partitions { world.kafka.expire(partition, before: 3) }
        let fault = world.finish(batch: 4, policy: policy)
        #expect(fault?.code == "database_behind_log")
        #expect(fault?.disposition == .stop(.incompatible))
    }
}
