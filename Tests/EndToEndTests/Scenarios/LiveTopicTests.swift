import AppAttest
import AttestTestKit
import Harness
import KafkaTransport
import Testing
import Worker

@testable import attest_worker

extension EndToEndTests {
    /// What the mock cluster can't do: topics that grow, offsets by time.
    @Suite(.enabled(if: Broker.givenAddress != nil, "the mock cluster can do none of this"))
    struct LiveTopicTests {
        @Test func `partitions that are added under a running group are taken up`() async throws {
            let authority = TestAuthority(seed: 86)
            let world = try await World("grows", partitions: 1, apps: [Load.app(authority)]) {
                $0.kafka.properties["topic.metadata.refresh.interval.ms"] = "1000"
            }
            var phone = Phone(seed: 86, authority: authority)
            let workers = [try await world.startWorker(), try await world.startWorker()]
            try world.send([phone.registration("grows-0")])
            try await waitForAnswers(["grows-0"], world, workers)
            try await world.broker.command("partitions \(world.topics[0]):3")
            // A client that was there before would learn of them when it next asks.
            let writer = try TopicWriter(
                settings: .ofGateway(
                    bootstrapServers: world.broker.bootstrapServers, topics: [world.topics[0]]),
                log: { _ in })
            for partition in 1...2 {
                let record = phone.assertion("grows-\(partition)")
                try writer.write(
                    OutgoingRecord(
                        topic: world.topics[0], key: record.key, value: record.value, headers: []),
                    partition: Int32(partition), timestampMilliseconds: nil)
                try writer.flush(wait: .seconds(20))
                try await waitForAnswers(["grows-\(partition)"], world, workers)
            }
            try await stop(workers)
            let answers = try await world.answers()
            #expect(
                answers.values.joined().allSatisfy {
                    String(decoding: $0, as: UTF8.self).contains("\"outcome\":\"accepted\"")
                }, "\(answers)")
            let shown = try await world.runCommand("offsets show", ["--json"])
            let lines = shown.output.split(separator: "\n")
            #expect(lines.count == 3, "\(shown)")
            #expect(lines.allSatisfy { $0.contains("\"state\":\"ok\"") }, "\(shown.output)")
        }

        @Test func `replay and reset find records by their time`() async throws {
            let authority = TestAuthority(seed: 87)
            let world = try await World("times", partitions: 1, apps: [Load.app(authority)])
            var phone = Phone(seed: 87, authority: authority)
            var records = [phone.registration("times-0")]
            records += (1..<4).map { phone.assertion("times-\($0)") }
            // A minute apart; the last one is of this moment.
            let now = Instant.now
            let times = records.indices.map { place in
                Instant(milliseconds: now.milliseconds + 60_000 * Int64(place - records.count + 1))
            }
            for place in records.indices { records[place].timestamp = times[place] }
            let first = try await world.startWorker()
            try world.send(records)
            try await waitForAnswers((0..<4).map { "times-\($0)" }, world, [first])
            try await stop([first])

            let stretch = ["--from=\(times[1].rfc3339)", "--to=\(times[3].rfc3339)"]
            let counted = try await world.runCommand("replay", stretch + ["--dry-run", "--json"])
            #expect(counted.output.contains("\"verdicts\":2"), "\(counted)\(counted.output)")
            let again = try await world.runCommand("replay", stretch)
            #expect(again.output.hasPrefix("2 records read, 2 verdicts published"), "\(again)")

            let reset = ["--to-time=\(times[2].rfc3339)", "--while-stopped"]
            let moved = try await world.runCommand("offsets reset", reset)
            #expect(moved.ended == .exited(0), "\(moved)")
            #expect(moved.output.contains("from 4 to 2: 2 decided again"), "\(moved.output)")
            let second = try await world.startWorker()
            try await eventually("two are answered again; \(second)", within: .seconds(60)) {
                try await world.verdicts.readOn().count == 8
            }
            try await stop([second])
            for (id, verdicts) in try await world.answers() {
                #expect(Set(verdicts).count == 1, "\(id) is judged anew")
            }
            // Beyond the last record lies the end.
            let future = Instant(milliseconds: now.milliseconds + 3_600_000).rfc3339
            let none = try await world.runCommand(
                "replay", ["--from=\(future)", "--dry-run", "--json"])
            #expect(none.output.contains("\"records\":0"), "\(none.output)")
        }
    }
}

private func waitForAnswers(
    _ requestIDs: [String], _ world: World, _ workers: [ChildProcess]
) async throws {
    try await eventually("\(requestIDs) are answered; \(workers)", within: .seconds(60)) {
        let answers = try await world.answers()
        return requestIDs.allSatisfy { answers[$0] != nil }
    }
}
