import Glibc
import Harness

extension SoakStriker {
    /// The fewest workers that are left at work.
    private static let workersMin = 2
    /// How many records a partition is set back at the most.
    private static let rewindRecordsMax = 2000

    func strikeWorkers(_ kind: FaultKind, _ dice: Dice) async throws {
        switch kind {
        case .kill:
            guard let victim = await fleet.release(dice.choice) else { return }
            try await victim.process.kill()
            try await Task.sleep(for: dice.seconds(0, 5))
            try await fleet.start()
        case .freeze:
            try await freeze(dice)
        case .stop:
            guard let leaving = await fleet.release(dice.choice) else { return }
            try await fleet.stop([leaving])
            try await fleet.start()
        case .add:
            if await fleet.count < options.workers + 2 { try await fleet.start() }
        case .remove:
            guard await fleet.count > Self.workersMin,
                let leaving = await fleet.release(dice.choice)
            else { return }
            try await fleet.stop([leaving])
        case .hangup:
            try await hangUp(dice)
        case .rewind:
            try await rewind(dice)
        default: return
        }
    }

    /// A worker sleeps beyond the session timeout of 6 s and wakes as a zombie.
    ///
    /// Three times of four with a batch in hand: it waits for rows that somebody holds, and sleeps
    /// in the midst of its transaction, which keeps them from its heirs until the server ends it.
    private func freeze(_ dice: Dice) async throws {
        guard let sleeper = await fleet.member(dice.choice) else { return }
        async let held: Void =
            dice.other % 4 == 0
            ? () : hold("PERFORM 1 FROM attest.keys FOR UPDATE", for: .seconds(1.5))
        try await Task.sleep(for: .milliseconds(900))
        sleeper.process.send(SIGSTOP)
        defer { sleeper.process.send(SIGCONT) }
        try await held
        try await Task.sleep(for: dice.seconds(8, 22))
    }

    /// SIGHUP: a worker reads its files again, and lives on.
    private func hangUp(_ dice: Dice) async throws {
        guard let member = await fleet.release(dice.choice) else { return }
        member.process.send(SIGHUP)
        try await Task.sleep(for: .seconds(1))
        guard let end = member.process.ended else { return await fleet.takeBack(member) }
        // A worker that has hardly begun does not know of signals yet.
        guard end == .killed(SIGHUP), member.process.errors.isEmpty else {
            throw HarnessFailure("\(member.name) ended by SIGHUP with \(end)")
        }
        try await fleet.start()
    }

    /// Whoever gets the partitions next meets records that were decided before.
    ///
    /// Best effort: while other faults strike, the group may give nothing in time; the oracle holds
    /// either way.
    private func rewind(_ dice: Dice) async throws {
        let bootstrapServers = servers.broker.bootstrapServers
        let records = Int64(dice.count(Self.rewindRecordsMax))
        _ = try await blocking {
            try GroupRewinder.rewind(
                group: SoakServers.group, topic: SoakServers.requests,
                bootstrapServers: bootstrapServers, records: records)
        }
    }
}
