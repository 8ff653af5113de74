import AppAttest
import LibCrypto
import Testing
import Wire
import Worker

/// A lane that has lost a partition and doesn't know.
@Suite struct DecisionFenceTests {
    private func partition(_ number: Int32) -> TopicPartition {
        TopicPartition(topic: Scenario.topic, partition: number)
    }

    private func judged(in partition: Int32) -> JudgedRecord {
        let place = RecordPlace(topic: Scenario.topic, partition: partition, offset: 4)
        let digest = SHA256.hash([UInt8(partition)])
        return JudgedRecord(
            record: Record(
                place: place, timestampMilliseconds: 1, key: nil, value: nil, headers: []),
            identity: RequestIdentity(digest), contentDigest: digest, requestID: nil, kind: nil,
            keyID: nil, subject: nil, claim: .refused(.worker(.malformedMessage)),
            judgedAt: Instant(milliseconds: 1))
    }

    private func row(epoch: Int64) -> Progress {
        Progress(epoch: epoch, nextOffset: 4, publishedOffset: 4, lastTimestampMilliseconds: 0)
    }

    private let belief = OwnedPartition(epoch: 1, nextOffset: 4, publishedOffset: 4)

    @Test func `a lane whose epoch is over decides nothing`() throws {
        let (writes, decided) = Decision.decide(
            [judged(in: 0)], owned: [partition(0): belief],
            state: BatchState(progress: [partition(0): row(epoch: 2)]),
            policy: try Scenario.policy())
        #expect(writes == nil)
        #expect(decided.fenced == [partition(0)])
        #expect(decided.answeredOffsets.isEmpty)
        guard case .nothing = decided.answers.first else {
            Issue.record("it is answered")
            return
        }
    }

    @Test func `what is lost holds up nothing else`() throws {
        let (writes, decided) = Decision.decide(
            [judged(in: 0), judged(in: 1)], owned: [partition(0): belief, partition(1): belief],
            state: BatchState(progress: [
                partition(0): row(epoch: 2), partition(1): row(epoch: 1),
            ]), policy: try Scenario.policy())
        #expect(writes?.inbox.count == 1)
        #expect(writes?.progress.keys.sorted() == [partition(1)])
        #expect(decided.answeredOffsets == [partition(1): 5])
        #expect(decided.fenced == [partition(0)])
    }
}
