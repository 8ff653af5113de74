import Testing
import Wire
import Worker

@testable import KafkaTransport

struct SmallPartsTests {
    @Test(
        arguments: [
            (Duration.zero, 0), (.seconds(-1), 0), (.nanoseconds(1), 1), (.milliseconds(1), 1),
            (.microseconds(1_001), 2), (.seconds(2), 2_000), (.seconds(1) + .nanoseconds(1), 1_001),
            (.seconds(Int64.max), .max),
        ] as [(Duration, Int32)])
    func `a wait is rounded up to milliseconds`(duration: Duration, milliseconds: Int32) {
        #expect(duration.millisecondsForC == milliseconds)
    }

    @Test func `a batch ends at the first record that does not fit`() {
        var batch = RecordBatch(limits: BatchLimits(recordsMax: 3, bytesMax: 10))
        let added = [6, 5, 1].map { batch.add(record(bytes: $0)) }
        #expect(added == [true, false, false], "the third would overtake the second")
        #expect(batch.isFull)
        #expect(batch.records.count == 1)
    }

    @Test func `a batch takes one record whatever its limits`() {
        var batch = RecordBatch(limits: BatchLimits(recordsMax: 0, bytesMax: 1))
        let added = [100, 0].map { batch.add(record(bytes: $0)) }
        #expect(added == [true, false])
    }

    @Test func `errors are found by their names`() {
        #expect(KafkaErrorName.code(of: "NOT_COORDINATOR") == 16)
        #expect(KafkaErrorName.code(of: "_TRANSPORT") == -195)
        #expect(KafkaErrorName.code(of: "NO_SUCH_ERROR") == nil)
        #expect(KafkaRequest(name: "JoinGroup") == .joinGroup)
        #expect(KafkaRequest(name: "Fetsh") == nil)
    }

    private func record(bytes: Int) -> Record {
        Record(
            place: RecordPlace(topic: "requests", partition: 0, offset: 0),
            timestampMilliseconds: nil, key: nil, value: [UInt8](repeating: 0, count: bytes),
            headers: [])
    }
}
