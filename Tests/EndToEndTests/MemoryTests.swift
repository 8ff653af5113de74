import AttestTestKit
import Harness
import KafkaTransport
import Testing
import Worker

extension EndToEndTests {
    /// `worker.memoryBudget` is kept, whatever waits on the topics.
    ///
    /// `Benchmarks/memory.sh` runs it for longer and with other budgets.
    @Suite struct MemoryTests {
        private static let partitions = 100
        /// The mock keeps 5 MiB of a partition, and drops what is older unread.
        private static let recordsInPartition = 1
        private static let valueBytes = 1 << 20
        /// What docs/settings.md says that the program needs beside its budget.
        private static let programBytes = 50 << 20

        @Test func `a hundred partitions of 1 MiB requests fit into the memory budget`()
            async throws
        {
            let mebibytes = environmentNumber("ATTEST_MEMORY_BUDGET_MIB") ?? 64
            let rounds = environmentNumber("ATTEST_MEMORY_ROUNDS") ?? 1
            let authority = TestAuthority(seed: 95)
            let servers = try Servers.shared()
            let broker = try await Broker.start(
                folder: servers.folder, name: "broker-memory", brokers: MemoryPlan.brokersAnswering)
            let world = try await World(
                "memory", partitions: Self.partitions, apps: [Load.app(authority)], broker: broker)
            var phones = (0..<Self.partitions).map {
                Phone(seed: 950 + UInt64($0), authority: authority)
            }
            // All of it lies there when the worker comes: it fetches as much as it may.
            try send(0, &phones, to: world)
            let worker = try await world.startWorker([
                "ATTEST_WORKER__MEMORY_BUDGET": "\(mebibytes)MiB",
                "ATTEST_WORKER__VALUE_BYTES_MAX": "2MiB",
                "ATTEST_WORKER__LANES": String(environmentNumber("ATTEST_MEMORY_LANES") ?? 1),
            ])
            for round in 1...rounds {
                let count = Self.partitions * Self.recordsInPartition * round
                try await eventually("\(count) are answered; \(worker)", within: .seconds(300)) {
                    try await world.answers().count == count
                }
                if round < rounds { try send(round, &phones, to: world) }
            }
            let peak = try worker.peakResidentBytes
            let sent = Self.partitions * Self.recordsInPartition * rounds
            print(
                "memory: budget \(mebibytes) MiB, peak RSS \(peak >> 20) MiB, \(sent) requests of "
                    + "1 MiB in \(Self.partitions) partitions")
            #expect(peak <= mebibytes << 20 + Self.programBytes)
            let answers = try await world.answers()
            #expect(
                answers.values.allSatisfy { verdicts in
                    verdicts.allSatisfy { String(decoding: $0, as: UTF8.self).contains("accepted") }
                })
            try await stop([worker])
        }

        /// A registration in each partition, then assertions of its key.
        private func send(_ round: Int, _ phones: inout [Phone], to world: World) throws {
            for place in phones.indices {
                let records = (0..<Self.recordsInPartition).map { number in
                    let id = "memory-\(place)-\(round)-\(number)"
                    var record =
                        round + number == 0
                        ? phones[place].registration(id) : phones[place].assertion(id)
                    record.partition = Int32(place)
                    return padded(record)
                }
                try world.send(records)
            }
        }

        /// The same request with a field that nobody knows, of such a length that it has 1 MiB.
        private func padded(_ record: SentRecord) -> SentRecord {
            var record = record
            let value = record.value ?? []
            let (head, tail) = (Array(#","padding":""#.utf8), Array(#""}"#.utf8))
            let count = Self.valueBytes - (value.count - 1) - head.count - tail.count
            let padding = [UInt8](repeating: UInt8(ascii: "x"), count: count)
            record.value = value.dropLast() + head + padding + tail
            return record
        }
    }
}

private func environmentNumber(_ name: String) -> Int? {
    environmentValue(name).flatMap { Int($0) }
}
