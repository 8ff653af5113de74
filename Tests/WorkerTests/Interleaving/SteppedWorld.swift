import KeyStoreSuite
import SeededNumbers
import Worker

/// What two lanes go through together.
struct Encounter: Sendable {
    /// A turn of the group's coordinator, taken at any moment.
    enum Turn: Hashable, Sendable {
        /// A lane is told to give all partitions up; until it answers, it may commit.
        case revoke(from: Int)
        /// All partitions are this lane's from now on; the former owner isn't told.
        case give(to: Int)
        /// A lane will be told that it has lost all partitions.
        case tellLoss(to: Int)
    }

    var name: String
    var scenario: Scenario
    /// How many records each lane's batches hold.
    var batches: [Int]
    /// Which lane has which partition at the start.
    var firstOwners: [Int32: Int] = [0: 0]
    /// The coordinator's turns, in this order.
    var turns: [Turn] = [.give(to: 1), .tellLoss(to: 0)]
    /// After how many claims of a partition the coordinator doesn't put its turns off any longer.
    var claimsMax: Int64 = 3
    /// How many lanes may die.
    var deathsMax = 0
}

/// One thing that can happen next.
enum Choice: Hashable, Sendable {
    /// A lane takes its next effect.
    case step(Int)
    /// The coordinator takes its next turn.
    case turn
    /// A lane dies where it stands.
    case death(Int)
}

/// An encounter under way: a deterministic function of the choices taken.
final class SteppedWorld {
    private let encounter: Encounter
    private let policy: Policy
    let world: LaneWorld
    private var lanes: [SteppedLane] = []
    private var turnsTaken = 0
    private var deaths = 0
    private let stop = StopSignal()

    init(_ encounter: Encounter, policy: Policy) throws {
        self.encounter = encounter
        self.policy = policy
        world = LaneWorld(encounter.scenario)
        for batch in encounter.batches {
            lanes.append(SteppedLane(world, batch: batch, policy: policy, stop: stop))
        }
        for (partition, owner) in encounter.firstOwners {
            let partition = TopicPartition(topic: Scenario.topic, partition: partition)
            world.kafka.assign([partition], to: lanes[owner].member)
        }
        for lane in lanes { try lane.start() }
    }

    /// All that can happen next; empty at the end.
    func choices() -> [Choice] {
        if world.kafka.isDrained { stop.request() }
        // A lane that isn't told of its loss claims again what it was fenced from, on and on.
        let claims = world.database.rows.progress.values.map(\.epoch).max() ?? 0
        if canTurn, claims >= encounter.claimsMax { return [.turn] }
        var choices: [Choice] = []
        for (number, lane) in lanes.enumerated() where canStep(lane) {
            choices.append(.step(number))
        }
        if canTurn { choices.append(.turn) }
        if deaths < encounter.deathsMax {
            for (number, lane) in lanes.enumerated() where !lane.thread.hasEnded {
                choices.append(.death(number))
            }
        }
        return choices
    }

    private var canTurn: Bool {
        guard turnsTaken < encounter.turns.count else { return false }
        guard turnsTaken > 0, case .revoke(let former) = encounter.turns[turnsTaken - 1],
            !lanes[former].thread.hasEnded
        else { return true }
        return !world.kafka.hasChange(for: lanes[former].member)
    }

    private func canStep(_ lane: SteppedLane) -> Bool {
        switch lane.thread.next {
        case nil: false
        case .poll(waitsForNews: true): lane.base.hasNews || stop.isRequested
        case .waitForLock: !world.database.isLocked
        default: true
        }
    }

    func take(_ choice: Choice) {
        switch choice {
        case .step(let number): lanes[number].thread.step()
        case .death(let number):
            deaths += 1
            lanes[number].thread.die()
        case .turn:
            switch encounter.turns[turnsTaken] {
            case .revoke(let number):
                world.kafka.tellRevocation(of: world.partitions, to: lanes[number].member)
            case .give(let number):
                let member = lanes[number].member
                let others = world.partitions.filter { world.kafka.owner(of: $0) != member }
                world.kafka.assign(others, to: member, tellingFormer: false)
            case .tellLoss(let number):
                world.kafka.tellLoss(of: world.partitions, to: lanes[number].member)
            }
            turnsTaken += 1
        }
    }

    /// Everything that what follows depends on, as one number.
    ///
    /// The state of a lane itself can't be read; but a lane is a function of what its effects have
    /// told it.
    var fingerprint: Int {
        var hasher = Hasher()
        hasher.combine(world.database.rows)
        world.kafka.feed(&hasher)
        world.kafka.feedMembers(&hasher)
        for lane in lanes {
            hasher.combine(lane.thread.hasEnded ? 0 : lane.thread.past)
            hasher.combine(lane.thread.next)
            hasher.combine(lane.thread.hasEnded)
        }
        hasher.combine(turnsTaken)
        hasher.combine(deaths)
        hasher.combine(stop.isRequested)
        return hasher.finalize()
    }

    /// What is wrong with how the lanes ended, once nothing can happen any more.
    func wrongEnds() -> [String] {
        var wrong: [String] = []
        for (number, lane) in lanes.enumerated() {
            if let end = lane.end, end != .death { wrong.append("lane \(number): \(end)") }
            let isOwner = world.partitions.contains {
                world.kafka.owner(of: $0) == lane.member
            }
            if !lane.thread.hasEnded, isOwner {
                wrong.append("lane \(number) owns a partition and does nothing")
            }
        }
        return wrong
    }

    /// Ends the lanes where they stand; nothing of them touches the world after this.
    func end() {
        for lane in lanes where !lane.thread.hasEnded { lane.thread.die() }
    }

    /// Lets another lane finish what is left.
    func finish() -> Fault? {
        world.kafka.isDrained ? nil : world.finish(batch: 1, policy: policy)
    }
}

/// One lane of an encounter, on its own thread.
private final class SteppedLane: @unchecked Sendable {
    let thread = SteppedThread()
    let member: Int
    let base: InMemorySource
    private let clock = SteppedClock()
    private let lane: Lane<SteppedSource, SteppedStore, SteppedSink>
    /// What ended it; nil as long as it runs, and when it was stopped in peace.
    private(set) var end: Fault?

    init(_ world: LaneWorld, batch: Int, policy: Policy, stop: StopSignal) {
        var limits = LaneLimits()
        limits.batch = BatchLimits(recordsMax: batch, bytesMax: 1 << 20)
        // Longer than any pause, so that a poll with nothing to wait for is told by its wait.
        limits.idleWait = .seconds(1000)
        member = world.kafka.join()
        base = InMemorySource(world.kafka, member: member)
        let source = SteppedSource(
            base, thread: thread, clock: clock, idleWait: limits.idleWait)
        lane = Lane(
            settings: LaneWorld.settings(Live(policy), limits), source: source,
            store: SteppedStore(world.database, thread: thread),
            sink: SteppedSink(InMemorySink(world.kafka), thread: thread), clock: clock.clock,
            random: SplitMix64(seed: 1), stop: stop, log: .silent,
            observer: LaneObserver(lane: 0, clock: clock.clock))
        source.laneState = { [unowned self] in state }
    }

    /// What a lane is told once, and what changes nothing but the length of its pauses.
    private static let leftOut: Set<String> = [
        "settings", "source", "store", "sink", "clock", "stop", "log", "observer", "judge",
        "policy", "policyVersion", "random", "claimBackoff", "lastTicket", "received", "nextPrune",
        "nextProbe",
    ]

    /// All of the lane's properties, as one number: those that come later, too.
    private var state: Int {
        var hasher = Hasher()
        for (label, value) in Mirror(reflecting: lane).children {
            guard let label, !Self.leftOut.contains(label) else { continue }
            hasher.combine(label)
            if label == "nextClaim", let due = value as? Duration {
                hasher.combine(due > clock.elapsed)
            } else if let value = value as? any Hashable {
                hasher.combine(AnyHashable(value))
            } else {
                preconditionFailure("\(label) can't be compared: leave it out, or make it Hashable")
            }
        }
        return hasher.finalize()
    }

    func start() throws {
        try thread.start { [self] in
            do throws(Fault) {
                try lane.run()
            } catch {
                end = error
            }
        }
    }
}
