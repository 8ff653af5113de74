import Harness
import KafkaTransport
import Testing
import Worker

/// What a test writes to the request topic lies there in the order of writing.
@Suite struct GatewayOrderTests {
    /// With five requests at a time, as is usual, every second or third round turns two over.
    private static let rounds = 8

    @Test func `a connection cut while records are on their way leaves them in their order`()
        async throws
    {
        let folder = try Folder("attest-order")
        defer { withExtendedLifetime(folder) {} }
        let broker = try await Broker.start(folder: folder, name: "broker")
        try await broker.command("topic ordered:1")
        var settings = KafkaSettings.ofGateway(
            bootstrapServers: broker.bootstrapServers, topics: ["ordered"])
        settings.properties["reconnect.backoff.max.ms"] = "100"
        let writer = try TopicWriter(settings: settings, log: { _ in })
        var last: UInt8 = 0
        func write() throws {
            last += 1
            try writer.write(OutgoingRecord(topic: "ordered", key: nil, value: [last], headers: []))
        }
        for _ in 0..<Self.rounds {
            try write()
            try writer.flush(wait: .seconds(20))
            // The first record meets the first cut, and the second one beside another record.
            try await broker.command("errors Produce _TRANSPORT 2")
            for _ in 0..<2 {
                try write()
                try await Task.sleep(for: .milliseconds(30))
            }
            try writer.flush(wait: .seconds(20))
            try await broker.command("clear Produce")
        }
        let tail = try TopicTail(
            topic: "ordered", group: "none", bootstrapServers: broker.bootstrapServers)
        var seen: [UInt8] = []
        for number in try await tail.readOn().compactMap(\.value?.first)
        where !seen.contains(number) {
            seen.append(number)
        }
        #expect(seen == Array(1...last))
    }
}
