import Glibc
import Testing
import Wire
import Worker

@testable import KafkaTransport

extension BrokerTests {
    @Suite(.serialized)
    struct SourceTests {
        @Test func `an assignment may be taken later, each partition at its own offset`() throws {
            try SharedMember.withPartitions(2) { source, bench in
                let (one, other) = (bench.partitions[0], bench.partitions[1])
                try bench.fill(0..<10)
                #expect(try source.take(1, within: .milliseconds(500)).isEmpty)
                let expected = LogPosition(committed: nil, low: 0, high: 10)
                #expect(
                    try source.positions(of: bench.partitions) == [one: expected, other: expected])
                try source.start([one: 3])
                #expect(try source.take(7).offsets(of: one) == Array(3..<10))
                try source.start([other: 8])
                let rest = try source.take(2)
                #expect(rest.offsets(of: other) == [8, 9])
                #expect(rest.count == 2, "what was handed out before must not come again")
            }
        }

        @Test func `keys, values, headers and timestamps arrive byte for byte`() throws {
            let bench = try Bench()
            let records = [
                OutgoingRecord(
                    topic: bench.topic, key: [0, 255], value: [],
                    headers: [
                        Header(name: "a", text: "1"), Header(name: "a", value: nil),
                        Header(name: "b", value: []),
                    ]),
                OutgoingRecord(topic: bench.topic, key: nil, value: nil, headers: []),
                OutgoingRecord(topic: bench.topic, key: [], value: [0], headers: []),
            ]
            let writer = try TopicWriter(settings: bench.settings) { _ in }
            for record in records { try writer.write(record, timestampMilliseconds: 1_234) }
            try writer.flush(wait: .seconds(5))
            let read = try bench.allRecords()
            #expect(read.map(\.key) == records.map(\.key))
            #expect(read.map(\.value) == records.map(\.value))
            #expect(read.map(\.headers) == records.map(\.headers))
            #expect(read.map(\.timestampMilliseconds) == [1_234, 1_234, 1_234])
        }

        @Test func `pausing under load leaves nothing out and repeats nothing`() throws {
            try SharedMember.withPartitions(2) { source, bench in
                let count = 1_500
                try bench.fill(0..<count, bytes: 100)
                try source.start(bench.all(at: 0))
                // Records are held back at each batch's end, also over a pause.
                let limits = BatchLimits(recordsMax: 400, bytesMax: 9_950)
                var records: [Record] = []
                var polls = 0
                let deadline = Deadline(after: .seconds(20))
                while records.count < 2 * count, !deadline.isOver {
                    records += try source.poll(limits: limits, wait: .milliseconds(100)).records
                    polls += 1
                    guard polls % 3 == 0 else { continue }
                    try source.pause()
                    try source.pause()
                    #expect(try source.poll(limits: limits, wait: .milliseconds(1)).records.isEmpty)
                    try source.resume()
                    try source.resume()
                }
                for partition in bench.partitions {
                    #expect(records.offsets(of: partition) == Array(0..<Int64(count)))
                }
            }
        }

        @Test func `what was paused, stopped and started again is fetched`() throws {
            try SharedMember.withPartitions(1) { source, bench in
                try bench.fill(0..<10)
                try source.start(bench.all(at: 0))
                #expect(try source.take(10).count == 10)
                try source.pause()
                try source.stop(bench.partitions)
                try source.start(bench.all(at: 3))
                #expect(try source.take(7).offsets(of: bench.partitions[0]) == Array(3..<10))
            }
        }

        @Test func `a partition stays paused while another is started beside it`() throws {
            try SharedMember.withPartitions(2) { source, bench in
                let (one, other) = (bench.partitions[0], bench.partitions[1])
                try bench.fill(0..<10)
                try source.start([one: 0])
                #expect(try source.take(10).count == 10)
                try source.pause()
                try source.start([other: 5])
                try bench.fill(10..<12)
                let whilePaused = try source.take(7)
                #expect(whilePaused.offsets(of: other) == Array(5..<12))
                #expect(whilePaused.count == 7)
                try source.resume()
                #expect(try source.take(2).offsets(of: one) == [10, 11])
            }
        }

        @Test func `moving drops what was fetched and goes on from the offset`() throws {
            try SharedMember.withPartitions(2) { source, bench in
                let (one, other) = (bench.partitions[0], bench.partitions[1])
                try bench.fill(0..<100)
                try source.start(bench.all(at: 0))
                let limits = BatchLimits(recordsMax: 10, bytesMax: 1_000)
                var records: [Record] = []
                let deadline = Deadline(after: .seconds(10))
                while records.offsets(of: other).count < 30, !deadline.isOver {
                    records += try source.poll(limits: limits, wait: .seconds(1)).records
                }
                try source.start([other: 20])
                let soFar = records.offsets(of: one)
                records = try source.take(80 + 100 - soFar.count)
                #expect(records.offsets(of: other) == Array(20..<100))
                #expect(soFar + records.offsets(of: one) == Array(0..<100))
                try source.start([one: 99])
                #expect(try source.take(1).offsets(of: one) == [99])
                try source.start([one: 98, other: 99])
                let moved = try source.take(3)
                #expect(moved.offsets(of: one) == [98, 99])
                #expect(moved.offsets(of: other) == [99])
            }
        }

        @Test func `a record above the limit comes alone, and limits hold`() throws {
            try SharedMember.withPartitions(1) { source, bench in
                try bench.fill(0..<1, bytes: 100)
                try bench.fill(1..<2, bytes: 5_000)
                try bench.fill(2..<5, bytes: 100)
                try source.start(bench.all(at: 0))
                // Let all be fetched, so that each poll finds what it can take.
                usleep(500_000)
                let limits = BatchLimits(recordsMax: 2, bytesMax: 1_000)
                var sizes: [[Int?]] = []
                let deadline = Deadline(after: .seconds(10))
                while sizes.flatMap(\.self).count < 5, !deadline.isOver {
                    let records = try source.poll(limits: limits, wait: .milliseconds(100)).records
                    if !records.isEmpty { sizes.append(records.map { $0.value?.count }) }
                }
                #expect(sizes == [[100], [5_000], [100, 100], [100]])
            }
        }

        /// The mock broker finds no offsets by time; what matters is that it claims none either.
        @Test func `where later records begin is told by a broker that can`() throws {
            try SharedMember.withPartitions(2) { source, bench in
                try bench.fill(0..<10)
                let instants = Dictionary(
                    uniqueKeysWithValues: bench.partitions.map { ($0, 1 as Int64) })
                let found = try source.firstOffsets(laterThan: instants)
                #expect(found == (Bench.isMock ? [:] : bench.all(at: 0)))
                #expect(try source.firstOffsets(laterThan: [:]) == [:])
                try source.start(bench.all(at: 9))
                #expect(try source.take(2).count == 2)
            }
        }

        @Test func `a stopped partition is silent, and can be started again`() throws {
            try SharedMember.withPartitions(2) { source, bench in
                let (one, other) = (bench.partitions[0], bench.partitions[1])
                try bench.fill(0..<10)
                try source.start(bench.all(at: 0))
                let limits = BatchLimits(recordsMax: 4, bytesMax: 1_000)
                let first = try source.poll(limits: limits, wait: .seconds(5)).records
                try source.stop([one])
                let rest = try source.take(10 - first.offsets(of: other).count)
                #expect(rest.offsets(of: one).isEmpty)
                #expect(first.offsets(of: other) + rest.offsets(of: other) == Array(0..<10))
                try source.start([one: 9])
                #expect(try source.take(1).offsets(of: one) == [9])
            }
        }

        @Test func `an offset that is not in the log stops the worker`() throws {
            try SharedMember.withPartitions(1) { source, bench in
                try bench.fill(0..<10)
                try source.start(bench.all(at: 1_000))
                let fault = #expect(throws: Fault.self) { _ = try source.take(1) }
                // Ended for good, no one would look where the log is.
                #expect(fault?.disposition == .stop(.software))
                let number = bench.partitions[0].partition
                #expect(fault?.message.contains("\(bench.topic) [\(number)]") == true)
            }
        }

        @Test func `a member that comes back finds what was committed`() throws {
            let bench = try Bench(partitions: 2)
            let (one, other) = (bench.partitions[0], bench.partitions[1])
            try bench.fill(0..<10)
            let first = try bench.source()
            try first.join()
            #expect(try first.take(20).count == 20)
            try first.commit([one: 7, other: 10])
            first.close()
            let second = try bench.source()
            #expect(try second.awaitChange() == .assigned(bench.partitions))
            let committed = try second.positions(of: bench.partitions).compactMapValues(\.committed)
            #expect(committed == [one: 7, other: 10])
            try second.start(committed)
            let records = try second.take(3)
            #expect(records.offsets(of: one) == [7, 8, 9])
            #expect(records.count == 3)
        }
    }
}
