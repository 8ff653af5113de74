import Testing
import Wire
import Worker

@Suite struct RedriveTests {
    private func letter(
        topic: String = "requests", partition: Int32 = 1, redrives: String? = nil
    ) -> Record {
        let letter = DeadLetter(
            key: [1], value: [2, 3],
            headers: redrives.map { [Header(name: "attest-redrives", text: $0)] } ?? [],
            origin: DeadLetter.Origin(
                place: RecordPlace(topic: topic, partition: partition, offset: 17),
                timestampMilliseconds: 1234, consumerGroup: "group"),
            cause: DeadLetter.Cause(.notAJSONObject))
        return Record(
            place: RecordPlace(topic: "dead", partition: 0, offset: 5),
            timestampMilliseconds: 5678, key: letter.key, value: letter.value,
            headers: letter.headers)
    }

    private let redrive = Redrive(partitionCounts: ["requests": 4], redrivesMax: 2)

    @Test func `a dead letter goes back whole, to its partition, at its time`() {
        let record = OutgoingRecord(
            topic: "requests", key: [1], value: [2, 3],
            headers: [Header(name: "attest-redrives", text: "1")])
        #expect(
            redrive.step(for: letter()) == .send(record, partition: 1, timestampMilliseconds: 1234))
    }

    @Test func `where its partition is gone, its key decides`() {
        guard case .send(_, let partition, _) = redrive.step(for: letter(partition: 4)) else {
            Issue.record("it stays")
            return
        }
        #expect(partition == nil)
    }

    @Test func `what is no request topic gets nothing, and nothing goes back for ever`() {
        #expect(redrive.step(for: letter(topic: "verdicts")) == .skip(.foreignTopic))
        #expect(redrive.step(for: letter(redrives: "2")) == .skip(.tooOften))
        #expect(redrive.step(for: letter(redrives: "x")) == .skip(.tooOften))
        let foreign = Record(
            place: RecordPlace(topic: "dead", partition: 0, offset: 5), timestampMilliseconds: nil,
            key: nil, value: nil, headers: [])
        #expect(redrive.step(for: foreign) == .skip(.noSource))
    }
}
