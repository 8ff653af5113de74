import Testing
import Wire

@Suite struct DeadLetterNoteTests {
    private func letter(_ headers: [Header]) -> DeadLetter {
        DeadLetter(
            key: [1], value: [2], headers: headers,
            origin: DeadLetter.Origin(
                place: RecordPlace(topic: "requests", partition: 3, offset: 17),
                timestampMilliseconds: 1_700_000_000_000, consumerGroup: "group"),
            cause: DeadLetter.Cause(.notAJSONObject), workerVersion: "1", workerID: "w")
    }

    @Test func `a dead letter tells whence it came and why`() {
        let note = DeadLetterNote(headers: letter([]).headers)
        #expect(note.sourceTopic == "requests")
        #expect(note.sourcePartition == 3)
        #expect(note.sourceOffset == 17)
        #expect(note.sourceTimestamp == 1_700_000_000_000)
        #expect(note.stage == "decode")
        #expect(note.code == "not_a_json_object")
        #expect(note.message == UnreadableRecord.notAJSONObject.message)
        #expect(note.redrives == 0)
    }

    @Test func `headers go back as they were, with a count of the returns`() {
        let own = [
            Header(name: "x", value: nil), Header(name: "x", value: [0xFF]),
            Header(name: "traceparent", text: "t"),
        ]
        let once = DeadLetterNote.restored(letter(own).headers)
        #expect(once == own + [Header(name: "attest-redrives", text: "1")])
        // It fails again, and goes back again.
        let twice = DeadLetterNote.restored(letter(once).headers)
        #expect(twice == own + [Header(name: "attest-redrives", text: "2")])
    }

    @Test(arguments: ["-1", "many", "", "99999999999999999999"])
    func `a count that can't be read counts as too many`(text: String) {
        let headers = [Header(name: "attest-redrives", text: text)]
        #expect(DeadLetterNote(headers: headers).redrives == .max)
        // One more must not overflow.
        let restored = DeadLetterNote.restored(headers)
        #expect(DeadLetterNote(headers: restored).redrives == .max)
    }

    @Test func `foreign headers tell nothing, and trap nothing`() {
        let note = DeadLetterNote(headers: [
            Header(name: "source_partition", text: "-4"),
            Header(name: "source_offset", value: [0xFF]),
            Header(name: "source_topic", text: "a"), Header(name: "source_topic", text: "b"),
            Header(name: "source_timestamp", value: nil),
        ])
        #expect(note.sourcePartition == nil)
        #expect(note.sourceOffset == nil)
        #expect(note.sourceTopic == nil)
        #expect(note.sourceTimestamp == nil)
    }
}
