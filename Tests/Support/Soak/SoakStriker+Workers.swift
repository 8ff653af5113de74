import Glibc
import Harness
import KafkaTransport
import Worker

extension SoakStriker {
    /// The fewest workers that are left at work.
    private static let workersMin = 2
    /// How many records a partition is set back at the most.
    private static let rewindRecordsMax: Int64 = 2000

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

    /// SIGHUP: a worker that knows it reads its files again; one that doesn't is ended by it, and
    /// started again as a supervisor would.
    private func hangUp(_ dice: Dice) async throws {
        guard let member = await fleet.release(dice.choice) else { return }
        member.process.send(SIGHUP)
        try await Task.sleep(for: .seconds(1))
        switch member.process.ended {
        case nil: await fleet.takeBack(member)
        case .killed(SIGHUP): try await fleet.start()
        case let end?: throw HarnessFailure("\(member.name) ended by SIGHUP with \(end)")
        }
    }

    /// Joins the group as an operator's tool might, commits offsets that are further back, and
    /// leaves: whoever gets these partitions meets records that were decided before.
    private func rewind(_ dice: Dice) async throws {
        let bootstrap = servers.broker.bootstrapServers
        let records = Int64(dice.count(Int(Self.rewindRecordsMax)))
        try await blocking {
            var settings = KafkaSettings(
                bootstrapServers: bootstrap, groupID: SoakServers.group,
                requestTopics: [SoakServers.requests])
            settings.sessionTimeout = .seconds(6)
            let source = try KafkaSource(settings: settings, log: { _ in })
            defer { source.close() }
            try rewindMine(source, by: records)
        }
    }
}

/// Waits to be given partitions and commits offsets that are so much lower.
///
/// Best effort: while other faults strike, the group may give nothing, or take it away at once; the
/// oracle holds either way.
private func rewindMine(_ source: KafkaSource, by records: Int64) throws {
    let limits = BatchLimits(recordsMax: 1, bytesMax: 1)
    let deadline = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < deadline {
        do {
            switch try source.poll(limits: limits, wait: .milliseconds(200)).change {
            case nil: continue
            case .revoked(let partitions), .lost(let partitions): try source.stop(partitions)
            case .assigned(let partitions):
                try source.start([:])
                let offsets = try source.positions(of: partitions).mapValues { position in
                    max(position.low, (position.committed ?? position.low) - records)
                }
                try source.commit(offsets)
                return
            }
        } catch {
            guard error.disposition == .retry || error.disposition == .fenced else { throw error }
        }
    }
}
