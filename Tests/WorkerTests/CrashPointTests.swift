import Testing
import Worker

/// The lane dies before and after each effect, and another one takes over.
@Suite struct CrashPointTests {
    /// Runs the scenario with one death (or lost connection) at the numbered point.
    ///
    /// The lane after a death takes batches of `next` records.
    ///
    /// - Returns: whether the point exists; false ends the enumeration.
    private func run(
        _ scenario: Scenario, batch: Int, next: Int? = nil, policy: Policy, point: Int,
        where mayFail: @escaping (_ name: String) -> Bool = { _ in true },
        fault: @escaping (_ name: String) -> Fault
    ) throws -> Bool {
        let world = LaneWorld(scenario)
        let member = world.kafka.join()
        world.kafka.assign(world.partitions, to: member)
        var passed = 0
        var reached: String?
        let end = world.runLane(batch: batch, member: member, policy: policy) {
            name throws(Fault) in
            guard mayFail(name) else { return }
            passed += 1
            guard passed == point + 1 else { return }
            reached = name
            throw fault(name)
        }
        guard let reached else {
            #expect(end == nil)
            try world.checkOracle("batch \(batch), no fault")
            return false
        }
        if end != nil { #expect(world.finish(batch: next ?? batch, policy: policy) == nil) }
        try world.checkOracle("batch \(batch), point \(point): \(reached)")
        return true
    }

    @Test(arguments: [1, 2, 3, 4, 100])
    func `a death at any point loses nothing and judges nothing twice`(batch: Int) throws {
        let scenario = Scenario.mixed()
        let policy = try Scenario.policy()
        var point = 0
        while try run(
            scenario, batch: batch, policy: policy, point: point,
            fault: { name in
                Fault(
                    operation: name, code: "died", disposition: .stop(.software),
                    message: "the process dies here")
            })
        { point += 1 }
        #expect(point > 40, "the enumeration covers the run")
    }

    /// What was decided as one batch comes back in pieces: none may commit past its own end.
    @Test(arguments: [(100, 1), (100, 3), (4, 3), (2, 100)])
    func `a batch that comes back in other pieces is committed piece by piece`(
        batch: Int, next: Int
    ) throws {
        let scenario = Scenario.mixed()
        let policy = try Scenario.policy()
        var point = 0
        while try run(
            scenario, batch: batch, next: next, policy: policy, point: point,
            fault: { name in
                Fault(
                    operation: name, code: "died", disposition: .stop(.software),
                    message: "the process dies here")
            })
        { point += 1 }
        #expect(point > 10, "the enumeration covers the run")
    }

    @Test(arguments: [1, 3, 100])
    func `a fault that passes at any point changes no verdict`(batch: Int) throws {
        let scenario = Scenario.mixed()
        let policy = try Scenario.policy()
        var point = 0
        while try run(
            scenario, batch: batch, policy: policy, point: point,
            // A source that has taken records gives them: it doesn't fail after that.
            where: { $0 != "poll after" },
            fault: { name in
                Fault(
                    operation: name, code: "passing", disposition: .retry,
                    message: "the connection breaks here")
            })
        { point += 1 }
        #expect(point > 40, "the enumeration covers the run")
    }

    /// A zombie: at some point another lane takes all partitions and does all the work, and only
    /// then does the first one go on with its batch in hand.
    @Test(arguments: [1, 2, 4, 100])
    func `a lane that sleeps through its own replacement does no harm`(batch: Int) throws {
        let scenario = Scenario.mixed()
        let policy = try Scenario.policy()
        // Where the sleeper holds row locks, its replacement would wait for the server to end it.
        let lockFree: Set<String> = [
            "poll before", "poll after", "start before", "start after", "readKeys before",
            "readKeys after", "begin before", "enqueue before", "enqueue after", "reports before",
            "reports after", "commitOffsets before", "commitOffsets after", "claim before",
        ]
        var point = 0
        var more = true
        while more {
            more = try runZombie(scenario, batch: batch, policy: policy, point: point) {
                lockFree.contains($0)
            }
            point += 1
        }
        #expect(point > 20, "the enumeration covers the run")
    }

    private func runZombie(
        _ scenario: Scenario, batch: Int, policy: Policy, point: Int,
        where mayWake: @escaping (String) -> Bool
    ) throws -> Bool {
        let world = LaneWorld(scenario)
        let sleeper = world.kafka.join()
        world.kafka.assign(world.partitions, to: sleeper)
        var passed = 0
        var reached: String?
        var told = false
        let end = world.runLane(
            batch: batch, member: sleeper, policy: policy,
            hook: { name throws(Fault) in
                guard reached == nil, mayWake(name) else { return }
                passed += 1
                guard passed == point + 1 else { return }
                reached = name
                #expect(world.finish(batch: batch, policy: policy) == nil)
            },
            idle: {
                guard reached != nil, !told else { return }
                told = true
                world.kafka.tellLoss(of: world.partitions, to: sleeper)
            })
        #expect(end == nil, "the sleeper ends in peace")
        guard let reached else { return false }
        try world.checkOracle("batch \(batch), asleep at \(point): \(reached)")
        return true
    }
}
