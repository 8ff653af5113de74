import Testing
import Worker

@testable import KafkaTransport

extension BrokerTests {
    /// Partitions that are started anew before librdkafka has stopped them: 2.0.2 ends the process.
    @Suite struct RestartTests {
        @Test func `partitions started anew again and again are survived`() async {
            await #expect(processExitsWith: .success) {
                let bench = try Bench(partitions: 8)
                try bench.fill(0..<50)
                let source = try bench.source()
                let mine = try source.join()
                _ = try source.take(50)
                for round in 0..<300 {
                    let offsets = Dictionary(
                        mine.map { ($0, Int64(round % 50)) },
                        uniquingKeysWith: { first, _ in first })
                    try source.start(offsets)
                }
                let last = try source.take(8)
                #expect(Set(mine.flatMap { last.offsets(of: $0).prefix(1) }) == [49])
                try source.start(bench.all(at: 0))
                source.close()
            }
        }
    }
}
