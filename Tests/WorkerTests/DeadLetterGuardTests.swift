import Testing
import Worker

/// The guard against floods of dead letters: what it counts, over partitions and restarts.
@Suite struct DeadLetterGuardTests {
    private func run(
        _ scenario: Scenario, batch: Int = 2, inARowMax: Int, in world: LaneWorld? = nil
    ) throws -> (end: Fault?, world: LaneWorld) {
        let world = world ?? LaneWorld(scenario)
        let member = world.kafka.join()
        world.kafka.assign(world.partitions, to: member, tellingFormer: false)
        var limits = LaneLimits()
        limits.deadLettersInARowMax = inARowMax
        let end = world.runLane(
            batch: batch, member: member, policy: try Scenario.policy(), limits: limits)
        return (end, world)
    }

    private func garbage(_ partitions: [Int32]) -> Scenario {
        var scenario = Scenario()
        for partition in partitions { scenario.garbage(partition: partition) }
        return scenario
    }

    @Test func `it counts over all partitions of the lane and over batches`() throws {
        let (end, world) = try run(garbage([0, 1, 0, 1, 0, 1, 0, 1]), inARowMax: 5)
        #expect(end?.code == "dead_letter_flood")
        #expect(end?.disposition == .stop(.incompatible))
        // Whole batches were published and committed; the rest is kept.
        #expect(world.kafka.published.count == 4)
        #expect(world.kafka.committed.values.reduce(0, +) == 4)
    }

    @Test func `exactly as many as are allowed pass`() throws {
        let (end, world) = try run(garbage([0, 0, 1, 1, 0]), inARowMax: 5)
        #expect(end == nil)
        #expect(world.kafka.published.count == 5)
        #expect(world.kafka.isDrained)
    }

    @Test func `a verdict between them sets the count back`() throws {
        var scenario = garbage([0, 0])
        scenario.register(Scenario.device(51), partition: 0)
        scenario.garbage(partition: 0)
        scenario.garbage(partition: 0)
        let (end, world) = try run(scenario, inARowMax: 2)
        #expect(end == nil)
        #expect(world.kafka.isDrained)
    }

    /// So a supervisor that starts it again and again drains at most so many each time.
    @Test func `a restart counts from nothing, and loses no record`() throws {
        let scenario = garbage(Array(repeating: 0, count: 8))
        let (first, world) = try run(scenario, inARowMax: 3)
        #expect(first?.code == "dead_letter_flood")
        let published = world.kafka.published.count
        #expect(published == 2)
        let (second, _) = try run(scenario, inARowMax: 3, in: world)
        #expect(second?.code == "dead_letter_flood")
        #expect(world.kafka.published.count == published + 2)
        let (last, _) = try run(scenario, inARowMax: 0, in: world)
        #expect(last == nil)
        #expect(world.kafka.published.count == 8)
        #expect(world.kafka.isDrained)
    }
}
