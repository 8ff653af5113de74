import Worker

/// Goes through all interleavings of an encounter, depth first.
///
/// An encounter can't be set back, so each branch is run from the start. A branch ends where it
/// meets a state that was met before: what follows from there has been gone through. That is why a
/// few thousand runs stand for all interleavings, of which there are many more.
struct Explorer {
    /// How many choices are gone through systematically; behind them each may step in turn.
    static let depthMax = 80
    /// How many more steps an encounter may take to its end.
    static let stepsMax = 2000

    /// What was gone through.
    struct Counts {
        /// Runs from the start.
        var runs = 0
        /// Different states.
        var states = 0
        /// Runs that went on to the end of the encounter, not into a state met before.
        var ends = 0
        /// Ends beyond ``Explorer/depthMax``.
        var deepEnds = 0
        /// How many interleavings these runs stand for: the ways through the states.
        var interleavings = 0.0
    }

    private let encounter: Encounter
    private let policy: Policy
    private var seen: Set<Int> = []
    /// The states that follow each state, in the order in which they were found.
    private var following: [Int: [Int]] = [:]
    private var start: Int?
    private var counts = Counts()

    /// Goes through an encounter; throws at the first run in which the oracle does not hold.
    static func explore(_ encounter: Encounter, policy: Policy) throws -> Counts {
        var explorer = Explorer(encounter: encounter, policy: policy)
        var branches: [[Choice]] = [[]]
        while let branch = branches.popLast() {
            try explorer.run(branch, &branches)
        }
        explorer.counts.states = explorer.seen.count
        explorer.counts.interleavings = explorer.waysThrough()
        return explorer.counts
    }

    private init(encounter: Encounter, policy: Policy) {
        self.encounter = encounter
        self.policy = policy
    }

    /// Runs one branch to a state met before or to the end, and notes the branches it passes.
    private mutating func run(_ branch: [Choice], _ branches: inout [[Choice]]) throws {
        counts.runs += 1
        let stepped = try SteppedWorld(encounter, policy: policy)
        defer { stepped.end() }
        var path = branch
        var before: Int?
        for (number, choice) in branch.enumerated() {
            _ = stepped.choices()
            if number == branch.count - 1 { before = stepped.fingerprint }
            stepped.take(choice)
        }
        while path.count < Self.depthMax {
            let choices = stepped.choices()
            let state = stepped.fingerprint
            if let before { following[before, default: []].append(state) } else { start = state }
            before = state
            guard seen.insert(state).inserted else {
                return try refuse(stepped.world.wrongTellings(), path)
            }
            guard let first = choices.first else { return try expectEnd(of: stepped, path) }
            for other in choices.dropFirst() { branches.append(path + [other]) }
            stepped.take(first)
            path.append(first)
        }
        counts.deepEnds += 1
        for turn in 0..<Self.stepsMax {
            let choices = stepped.choices().filter { if case .death = $0 { false } else { true } }
            guard !choices.isEmpty else { break }
            stepped.take(choices[turn % choices.count])
        }
        try expectEnd(of: stepped, path)
    }

    private mutating func expectEnd(of stepped: SteppedWorld, _ path: [Choice]) throws {
        counts.ends += 1
        var wrong = stepped.wrongEnds()
        let isOver = stepped.choices().allSatisfy { if case .death = $0 { true } else { false } }
        if !isOver { wrong.append("it goes on for ever") }
        stepped.end()
        if let fault = stepped.finish() { wrong.append("nobody can finish: \(fault)") }
        try refuse(wrong + stepped.world.brokenPromises(), path)
    }

    /// Counts the ways from the first state to an end; those that lead back are not followed.
    private func waysThrough() -> Double {
        guard let start else { return 0 }
        var ways: [Int: Double] = [:]
        var entered: Set<Int> = []
        var stack = [start]
        while let state = stack.last {
            let next = following[state] ?? []
            if entered.insert(state).inserted {
                stack += next.filter { !entered.contains($0) }
            } else {
                stack.removeLast()
                if ways[state] == nil {
                    ways[state] = next.isEmpty ? 1 : next.reduce(0) { $0 + (ways[$1] ?? 0) }
                }
            }
        }
        return ways[start] ?? 0
    }

    private func refuse(_ wrong: [String], _ path: [Choice]) throws {
        guard wrong.isEmpty else { throw ScenarioProblem(text: "\(context(path)): \(wrong)") }
    }

    private func context(_ path: [Choice]) -> String {
        let words = path.map { choice in
            switch choice {
            case .step(let lane): "\(lane)"
            case .turn: "turn"
            case .death(let lane): "death of \(lane)"
            }
        }
        return "\(encounter.name), \(words.joined(separator: " "))"
    }
}
