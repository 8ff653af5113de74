import Harness
import SeededNumbers
import Synchronization

/// Makes faults happen, one after the other in each area, until it is stopped.
final class SoakStriker: Sendable {
    let servers: SoakServers
    let fleet: SoakFleet
    let options: SoakOptions
    private let isStopped = Mutex(false)
    private let counts = Mutex<[FaultKind: Int]>([:])
    private let current = Mutex<[FaultKind.Area: FaultKind]>([:])

    init(_ servers: SoakServers, _ fleet: SoakFleet, _ options: SoakOptions) {
        self.servers = servers
        self.fleet = fleet
        self.options = options
    }

    /// How often each kind has happened.
    var struck: [FaultKind: Int] { counts.withLock { $0 } }

    /// What is broken at this moment.
    var now: [FaultKind] { current.withLock { $0.values.sorted { $0.rawValue < $1.rawValue } } }

    /// Asks the areas to end after their present fault.
    func stop() {
        isStopped.withLock { $0 = true }
    }

    /// Strikes one area until stopped: all kinds once in random order, then all again.
    ///
    /// A fault draws the same number of numbers whatever it meets, so that the seed alone decides
    /// which faults come in which order.
    func run(_ area: FaultKind.Area) async throws {
        let kinds = options.faults.filter { $0.area == area }
        guard !kinds.isEmpty, let number = FaultKind.Area.allCases.firstIndex(of: area) else {
            return
        }
        var random = SplitMix64(seed: options.seed &+ 1_000_003 &* UInt64(number + 1))
        var bag: [FaultKind] = []
        while true {
            if bag.isEmpty { bag = kinds.shuffled(using: &random) }
            let kind = bag.removeLast()
            let dice = Dice(&random)
            let pause = Double.random(in: area.pauses, using: &random)
            guard try await sleepUnlessStopped(pause) else { return }
            current.withLock { $0[area] = kind }
            do {
                try await strike(kind, dice)
            } catch {
                throw HarnessFailure("the fault \(kind.rawValue): \(error)")
            }
            current.withLock { $0[area] = nil }
            counts.withLock { $0[kind, default: 0] += 1 }
        }
    }

    /// Mends what a fault may have left.
    func heal() async throws {
        servers.proxy.set(.pass)
        try await servers.broker.command("rtt 0")
        for (request, _) in Self.brokerErrors {
            try await servers.broker.command("clear \(request)")
        }
    }

    private func sleepUnlessStopped(_ seconds: Double) async throws -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            if isStopped.withLock({ $0 }) { return false }
            try await Task.sleep(for: .milliseconds(200))
        }
        return !isStopped.withLock { $0 }
    }

    private func strike(_ kind: FaultKind, _ dice: Dice) async throws {
        switch kind.area {
        case .workers: try await strikeWorkers(kind, dice)
        case .broker: try await strikeBroker(kind, dice)
        case .database: try await strikeDatabase(kind, dice)
        }
    }
}

/// The random numbers of one fault.
struct Dice: Sendable {
    /// Which one of several is meant.
    let choice: UInt64
    /// Which one of several others is meant.
    let other: UInt64
    private let length: Double

    init(_ random: inout SplitMix64) {
        choice = random.next()
        other = random.next()
        length = Double.random(in: 0..<1, using: &random)
    }

    /// A duration between two, in seconds.
    func seconds(_ low: Double, _ high: Double) -> Duration {
        .seconds(low + (high - low) * length)
    }

    /// A number from 1 up to the most.
    func count(_ most: Int) -> Int {
        1 + Int(length * Double(most))
    }
}
