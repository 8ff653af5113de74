import Foundation
import Synchronization
import Testing

@testable import Worker

@Suite struct LogMergerTests {
    /// A log whose clock is set by hand.
    final class World: Sendable {
        let now = Mutex<Int64>(0)
        let lines = Mutex<[String]>([])

        var log: Log {
            Log(level: .debug, format: .json, clock: { self.now.withLock { $0 } }) { bytes in
                self.lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
            }
        }

        func pass(seconds: Int64) {
            now.withLock { $0 += seconds * 1_000_000 }
        }

        func count(_ part: String) -> Int {
            lines.withLock { $0.count { $0.contains(part) } }
        }
    }

    let world = World()

    @Test func `repeats within the window become one line that counts them`() {
        let log = world.log
        for attempt in 1...100 {
            log(
                .warning, "retried", "again",
                ["error_code": "08006", "attempt": LogValue(attempt)])
        }
        #expect(world.count("retried") == LogMerger.linesMax)
        world.pass(seconds: 10)
        log(.info, "lane_stopped", "something else brings it out")
        #expect(world.count("retried") == LogMerger.linesMax + 1)
        // The latest of 97, and so 96 that were left out.
        #expect(world.count(#""attempt":100,"suppressed":96"#) == 1)
        // A new stretch begins.
        log(.warning, "retried", "again", ["error_code": "08006"])
        #expect(world.count("retried") == LogMerger.linesMax + 2)
    }

    @Test func `lines of different lanes, codes and levels are no repeats`() {
        let log = world.log
        for lane in 0..<5 {
            let lane = log.with(["lane": "lane-\(lane)"])
            for code in ["a", "b"] {
                for _ in 0..<5 { lane(.warning, "retried", "again", ["error_code": .text(code)]) }
            }
        }
        #expect(world.count("retried") == 5 * 2 * LogMerger.linesMax)
    }

    @Test func `what does not repeat by nature, and debug lines, are never merged`() {
        let log = world.log
        for _ in 0..<10 {
            log(.info, "partitions_claimed", "fetching starts")
            log(.debug, "kafka_client", "chatter", ["rdkafka_code": "FETCH"])
        }
        #expect(world.count("partitions_claimed") == 10)
        #expect(world.count("chatter") == 10)
    }

    @Test func `the end brings out what was kept back`() {
        let log = world.log
        for _ in 0..<10 { log(.warning, "retried", "again") }
        log.flush()
        log.flush()
        #expect(world.count("retried") == LogMerger.linesMax + 1)
        #expect(world.count(#""suppressed":6"#) == 1)
    }

    @Test func `a clock that is set back does not silence anything for long`() {
        let log = world.log
        world.pass(seconds: 1000)
        for _ in 0..<10 { log(.warning, "retried", "again") }
        world.pass(seconds: -500)
        log(.warning, "retried", "again")
        #expect(world.count("retried") == LogMerger.linesMax + 2)
    }

    @Test func `more kinds than are kept count of are written as they are`() {
        let log = world.log
        for kind in 0..<(LogMerger.kindsMax + 10) {
            for _ in 0..<5 { log(.warning, "retried", "again", ["error_code": "\(kind)"]) }
        }
        #expect(world.count("retried") == LogMerger.kindsMax * LogMerger.linesMax + 10 * 5)
    }

    @Test func `the page in docs is the one that the list makes`() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../docs/log-events.md").standardizedFileURL
        #expect(try String(contentsOf: page, encoding: .utf8) == LogEventsPage.reference())
    }

    @Test func `names are unique, and in snake case`() {
        let names = LogEvents.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.allSatisfy { $0.isLowercase || $0 == "_" } })
        #expect(LogEvents.all.allSatisfy { !$0.levels.isEmpty && $0.meaning.hasSuffix(".") })
    }
}
