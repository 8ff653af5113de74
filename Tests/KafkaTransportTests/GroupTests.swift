import Testing
import Worker

@testable import KafkaTransport

extension BrokerTests {
    @Suite(.serialized)
    struct GroupTests {
        @Test func `an assignment not taken yet survives a second member's coming`() throws {
            let bench = try Bench(partitions: 2)
            try bench.fill(0..<50)
            let first = try bench.source()
            #expect(try first.awaitChange() == .assigned(bench.partitions))
            try first.start([:])
            let second = try bench.source()
            // Both must poll, or neither gets on.
            let told = try Pair(first, second).awaitChange(ofFirst: true)
            #expect(told == .revoked(bench.partitions))
            try first.stop(bench.partitions)
            let (ofFirst, ofSecond) = try Pair(first, second).awaitSplit(of: bench.partitions)
            try second.start([ofSecond[0]: 0])
            #expect(try second.take(50).offsets(of: ofSecond[0]) == Array(0..<50))
            try first.start([ofFirst[0]: 40])
            #expect(try first.take(10).offsets(of: ofFirst[0]) == Array(40..<50))

            // The one that stays gets all, and goes on from the offsets it is given.
            second.close()
            #expect(try first.awaitChange() == .revoked(ofFirst))
            try first.stop(ofFirst)
            #expect(try first.awaitChange() == .assigned(bench.partitions))
            try first.start([bench.partitions[0]: 45, bench.partitions[1]: 45])
            let records = try first.take(10)
            #expect(records.offsets(of: bench.partitions[0]) == Array(45..<50))
            #expect(records.offsets(of: bench.partitions[1]) == Array(45..<50))
        }

        @Test(.enabled(if: AssignmentStrategy.usable.contains(.cooperativeSticky)))
        func `with cooperative-sticky only what moves is given up`() throws {
            let bench = try Bench(partitions: 2)
            try bench.fill(0..<10)
            var settings = bench.settings
            settings.assignmentStrategy = .cooperativeSticky
            let first = try KafkaSource(settings: settings) { _ in }
            try first.join()
            #expect(try first.take(20).count == 20)
            let second = try KafkaSource(settings: settings) { _ in }
            guard case .revoked(let moved) = try Pair(first, second).awaitChange(ofFirst: true),
                let partition = moved.first, moved.count == 1
            else {
                Issue.record("one partition must be revoked")
                return
            }
            try first.commit([partition: 7])
            try first.stop(moved)
            try Pair(first, second).awaitOwner(second, of: moved)
            try second.start([partition: 7])
            #expect(try second.take(3).offsets(of: partition) == [7, 8, 9])
            // What stayed goes on where it was, also after it was moved.
            let stayed = bench.partitions.filter { $0 != partition }
            try bench.fill(10..<12)
            #expect(try first.take(2).offsets(of: stayed[0]) == [10, 11])
            try first.start([stayed[0]: 11])
            #expect(try first.take(1).offsets(of: stayed[0]) == [11])
            second.close()
            first.close()
        }

        @Test func `a leader that moves is followed`() throws {
            let broker = try BrokerProcess(["--brokers", "2"])
            let bench = try Bench(broker: broker)
            try broker.command("coordinator \(bench.settings.groupID) 1")
            try broker.command("leader \(bench.topic) 0 1")
            try bench.fill(0..<10)
            let source = try bench.source()
            try source.join()
            #expect(try source.take(10).count == 10)
            try broker.command("leader \(bench.topic) 0 2")
            try broker.command("rtt 20")
            try bench.fill(10..<20)
            #expect(try source.take(10).offsets(of: bench.partitions[0]) == Array(10..<20))
            #expect(throws: BrokerProcess.Failure.self) { try broker.command("leader nowhere") }
        }

        /// The mock refuses a commit while the group rebalances; other brokers take it.
        @Test func `records held back are dropped with their partition`() throws {
            let bench = try Bench(partitions: 1, takesFaults: true)
            try bench.fill(0..<10)
            let first = try bench.source()
            try first.join()
            let small = BatchLimits(recordsMax: 100, bytesMax: 6)
            // Room for one and a half.
            #expect(try first.take(1, limits: small).count >= 1)
            try first.commit([bench.partitions[0]: 4])
            let second = try bench.source()
            let told = try Pair(first, second).awaitChange(ofFirst: true, limits: small)
            #expect(told == .revoked(bench.partitions))
            #expect(try first.poll(limits: small, wait: .zero).records.isEmpty)
            try first.stop(bench.partitions)
            #expect(try first.poll(limits: small, wait: .zero).records.isEmpty)
            #expect(throws: Fault.self) { try first.commit([bench.partitions[0]: 5]) }
            let position = LogPosition(committed: 4, low: 0, high: 10)
            #expect(try first.positions(of: bench.partitions) == [bench.partitions[0]: position])
        }

        @Test func `nothing is committed for partitions that were lost`() throws {
            let bench = try Bench(takesFaults: true)
            let source = try bench.source()
            try source.join()
            try source.commit([bench.partitions[0]: 0])
            try bench.broker.command("errors Heartbeat UNKNOWN_MEMBER_ID 1")
            #expect(try source.awaitChange() == .lost(bench.partitions))
            let fault = #expect(throws: Fault.self) { try source.commit([bench.partitions[0]: 1]) }
            #expect(fault?.disposition == .fenced)
            #expect(throws: Fault.self) { try source.start([bench.partitions[0]: 0]) }
            try source.stop(bench.partitions)
            #expect(try source.awaitChange() == .assigned(bench.partitions))
            try source.start([bench.partitions[0]: 0])
            try source.commit([bench.partitions[0]: 1])
            try source.pause()
            #expect(ContinuousClock().measure { source.close() } < .seconds(3))
        }

        @Test func `closing returns at every moment of a join`() throws {
            for pause in [0, 50, 500, 2_995] {
                let bench = try Bench(partitions: 2)
                let source = try bench.source()
                let wait = Deadline(after: .milliseconds(pause))
                while !wait.isOver {
                    _ = try source.poll(limits: Bench.limits, wait: wait.remaining)
                }
                let duration = ContinuousClock().measure { source.close() }
                // A join that is under way holds the leave up, at the mock as at a broker.
                #expect(duration < KafkaClient.closePatience, "after \(pause) ms")
            }
        }

        @Test func `closing returns while an answer is owed`() throws {
            let bench = try Bench()
            let source = try bench.source()
            #expect(try source.awaitChange() == .assigned(bench.partitions))
            #expect(ContinuousClock().measure { source.close() } < .seconds(3))
            source.close()
            #expect(throws: Fault.self) { try source.pause() }
        }
    }
}

/// Two members that are polled in turn, as neither gets on without the other.
struct Pair {
    private let first: KafkaSource
    private let second: KafkaSource

    init(_ first: KafkaSource, _ second: KafkaSource) {
        self.first = first
        self.second = second
    }

    func awaitChange(
        ofFirst: Bool, limits: BatchLimits = Bench.limits
    ) throws -> AssignmentChange {
        let deadline = Deadline(after: .seconds(20))
        while !deadline.isOver {
            let polled = try first.poll(limits: limits, wait: .milliseconds(50))
            if let change = polled.change { return change }
            _ = try second.poll(limits: limits, wait: .milliseconds(50))
        }
        throw BrokerProcess.Failure(text: "the first member was told nothing in time")
    }

    /// Answers every assignment with nothing new, until a member owns these partitions and the
    /// other was told too.
    func awaitOwner(_ owner: KafkaSource, of partitions: [TopicPartition]) throws {
        var told = (owner: false, other: false)
        let deadline = Deadline(after: .seconds(20))
        while !(told.owner && told.other), !deadline.isOver {
            for member in [first, second] {
                let polled = try member.poll(limits: Bench.limits, wait: .milliseconds(50))
                guard case .assigned(let news) = polled.change else { continue }
                try member.start([:])
                if member === owner { told.owner = told.owner || news == partitions }
                if member !== owner { told.other = true }
            }
        }
        guard told.owner else {
            throw BrokerProcess.Failure(text: "the partitions found no owner in time")
        }
    }

    /// Answers every change with nothing taken, until the two share the partitions.
    ///
    /// A member whose first join is begun anew leaves a dead one behind, which the mock counts
    /// until its session ends; it may take several generations.
    func awaitSplit(
        of partitions: [TopicPartition]
    ) throws -> (first: [TopicPartition], second: [TopicPartition]) {
        var held: ([TopicPartition], [TopicPartition]) = ([], [])
        let deadline = Deadline(after: .seconds(60))
        while !deadline.isOver {
            held.0 = try answer(first, holding: held.0)
            held.1 = try answer(second, holding: held.1)
            let isSplit = !held.0.isEmpty && !held.1.isEmpty
            if isSplit, (held.0 + held.1).sorted() == partitions { return held }
        }
        throw BrokerProcess.Failure(text: "the partitions were not shared in time: \(held)")
    }

    private func answer(
        _ member: KafkaSource, holding held: [TopicPartition]
    ) throws -> [TopicPartition] {
        switch try member.poll(limits: Bench.limits, wait: .milliseconds(50)).change {
        case nil: return held
        case .assigned(let partitions):
            try member.start([:])
            return partitions
        case .revoked(let partitions), .lost(let partitions):
            try member.stop(partitions)
            return []
        }
    }
}
