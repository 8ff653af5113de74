import Harness

extension SoakStriker {
    /// Errors by the request that gets them; `_TRANSPORT` cuts the connection.
    static let brokerErrors: [(request: String, errors: [String])] = [
        (
            "Produce",
            [
                "NOT_LEADER_FOR_PARTITION", "REQUEST_TIMED_OUT", "NOT_ENOUGH_REPLICAS",
                "_TRANSPORT",
            ]
        ),
        ("Fetch", ["NOT_LEADER_FOR_PARTITION", "_TRANSPORT"]),
        ("ListOffsets", ["NOT_LEADER_FOR_PARTITION"]),
        ("Metadata", ["_TRANSPORT"]),
        (
            "OffsetCommit",
            [
                "NOT_COORDINATOR", "COORDINATOR_LOAD_IN_PROGRESS", "REQUEST_TIMED_OUT",
                "ILLEGAL_GENERATION", "_TRANSPORT",
            ]
        ),
        ("OffsetFetch", ["NOT_COORDINATOR", "COORDINATOR_LOAD_IN_PROGRESS"]),
        ("FindCoordinator", ["COORDINATOR_NOT_AVAILABLE"]),
        ("JoinGroup", ["NOT_COORDINATOR", "COORDINATOR_LOAD_IN_PROGRESS"]),
        ("SyncGroup", ["REBALANCE_IN_PROGRESS", "NOT_COORDINATOR"]),
        ("Heartbeat", ["NOT_COORDINATOR", "UNKNOWN_MEMBER_ID", "ILLEGAL_GENERATION"]),
    ]
    /// The most errors of one kind at a time.
    private static let errorsMax = 6

    func strikeBroker(_ kind: FaultKind, _ dice: Dice) async throws {
        let broker = servers.broker
        switch kind {
        case .cut:
            try await broker.command("down")
            try await Task.sleep(for: dice.seconds(0, 8))
            try await broker.command("up")
        case .lostAcks:
            // Answers lag behind what is done; then the connections on which they wait are cut.
            try await broker.command("rtt 1500")
            try await Task.sleep(for: dice.seconds(0.7, 1.4))
            try await broker.command("down")
            try await broker.command("rtt 0")
            try await Task.sleep(for: .milliseconds(500))
            try await broker.command("up")
        case .errors:
            let (request, errors) = Self.brokerErrors[pick(dice.choice, Self.brokerErrors.count)]
            let error = errors[pick(dice.other, errors.count)]
            try await broker.command("errors \(request) \(error) \(dice.count(Self.errorsMax))")
            try await Task.sleep(for: .seconds(5))
            try await broker.command("clear \(request)")
        case .slow:
            try await broker.command("rtt \(dice.count(800))")
            try await Task.sleep(for: dice.seconds(3, 10))
            try await broker.command("rtt 0")
        case .leader:
            let topics = [SoakServers.requests, SoakServers.verdicts, SoakServers.deadLetters]
            let partition =
                "\(topics[pick(dice.choice, topics.count)]) "
                + "\(pick(dice.other, options.partitions))"
            try await broker.command("leader \(partition) none")
            try await Task.sleep(for: dice.seconds(0, 5))
            let leader = 1 + pick(dice.choice / 8, SoakServers.brokers)
            try await broker.command("leader \(partition) \(leader)")
        case .coordinator:
            // A member that joins at the new coordinator while its join at the old one is not
            // answered is more than the mock bears (`member_add: !member->resp`). So the old one
            // goes down, as it would where a coordinator moves.
            let coordinator = 1 + pick(dice.choice, SoakServers.brokers)
            try await broker.command("down")
            try await broker.command("coordinator \(SoakServers.group) \(coordinator)")
            try await broker.command("up")
        default: return
        }
    }

    private func pick(_ number: UInt64, _ count: Int) -> Int {
        Int(number % UInt64(count))
    }
}
