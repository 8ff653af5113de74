import KeyStoreSuite
import Worker

/// Lets lanes die before and after every effect, any number of times, and others take over.
///
/// A death leaves nothing of a lane but the world. So one run that goes on past each point shows
/// the world after a death at each; and worlds that are alike are followed once. What is left is
/// followed until no death leads to a world that is new: then every sequence of deaths, of lanes
/// with batches of any of the sizes, has been gone through.
struct DeathExplorer {
    /// How many different worlds one scenario may lead to.
    static let worldsMax = 2000

    /// What was gone through.
    struct Counts {
        /// Points at which a lane may have died.
        var points = 0
        /// Different worlds that deaths left behind.
        var worlds = 0
        /// Lanes that ran on from one to the end.
        var lanes = 0

        static func += (left: inout Counts, right: Counts) {
            left.points += right.points
            left.worlds += right.worlds
            left.lanes += right.lanes
        }
    }

    private var seen: Set<Int> = []
    private var waiting: [LaneWorld] = []
    private var counts = Counts()
    private let isAudited: Bool

    /// Goes through a scenario; throws at the first world in which the oracle does not hold.
    static func explore(
        _ name: String, _ scenario: Scenario, batches: [Int], policy: Policy,
        isAudited: Bool = false
    ) throws -> Counts {
        var explorer = DeathExplorer(isAudited: isAudited)
        try explorer.note(LaneWorld(scenario), name)
        while let world = explorer.waiting.popLast() {
            for batch in batches {
                try explorer.run(LaneWorld(copying: world), batch: batch, policy, name)
            }
            guard explorer.seen.count <= worldsMax else {
                throw ScenarioProblem(text: "\(name) leads to more than \(worldsMax) worlds")
            }
        }
        explorer.counts.worlds = explorer.seen.count
        return explorer.counts
    }

    /// Runs a lane to the end, and notes each world that its death would leave.
    private mutating func run(
        _ world: LaneWorld, batch: Int, _ policy: Policy, _ name: String
    ) throws {
        counts.lanes += 1
        let member = world.kafka.join()
        world.kafka.assign(world.partitions, to: member, tellingFormer: false)
        var left: [LaneWorld] = []
        let end = world.runLane(
            batch: batch, member: member, policy: policy, isAudited: isAudited
        ) { (_) throws(Fault) in left.append(LaneWorld(copying: world)) }
        let broken = try world.brokenPromises() + (end.map { [$0.description] } ?? [])
        guard broken.isEmpty else {
            throw ScenarioProblem(text: "\(name), batches of \(batch): \(broken)")
        }
        counts.points += left.count
        for world in left { try note(world, name) }
    }

    private init(isAudited: Bool) {
        self.isAudited = isAudited
    }

    private mutating func note(_ world: LaneWorld, _ name: String) throws {
        guard seen.insert(world.fingerprint).inserted else { return }
        let wrong = try world.wrongTellings() + (isAudited ? world.wrongAudit() : [])
        guard wrong.isEmpty else { throw ScenarioProblem(text: "\(name): \(wrong)") }
        waiting.append(world)
    }
}

extension LaneWorld {
    /// Decisions that the audit keeps twice, or not at all, or that were never stored.
    fileprivate func wrongAudit() -> [String] {
        let rows = database.rows
        let kept = rows.audit.map(\.identity.storedBytes)
        let isOnce = Set(kept).count == kept.count
        return isOnce && Set(kept) == Set(rows.inbox.keys)
            ? [] : ["\(rows.inbox.count) decisions, \(kept.count) rows of the audit"]
    }

    /// All that a lane which comes later depends on, as one number.
    ///
    /// Without the epochs: of them only matters that they rise.
    fileprivate var fingerprint: Int {
        var rows = database.rows
        for id in rows.progress.keys { rows.progress[id]?.epoch = 0 }
        var hasher = Hasher()
        hasher.combine(rows)
        kafka.feed(&hasher)
        return hasher.finalize()
    }
}
