import Testing
import Wire

@Suite struct DeadLetterTests {
    private let origin = DeadLetter.Origin(
        place: VerdictSamples.place, timestampMilliseconds: 1_790_000_000_000,
        consumerGroup: "attest-worker")

    private func headers(
        _ original: [Header] = [], cause: DeadLetter.Cause = .init(.notAJSONObject)
    ) -> [Header] {
        DeadLetter(key: nil, value: nil, headers: original, origin: origin, cause: cause).headers
    }

    @Test func `key, value and headers stay byte for byte`() {
        let original = [
            Header(name: "ce_id", value: [0xFF, 0]), Header(name: "x", value: nil),
            Header(name: "x", value: []),
        ]
        let letter = DeadLetter(
            key: [0, 0xFF], value: [0xC3, 0x28], headers: original, origin: origin,
            cause: .init(.notAJSONObject))
        #expect(letter.key == [0, 0xFF])
        #expect(letter.value == [0xC3, 0x28])
        #expect(Array(letter.headers.prefix(3)) == original)
        let empty = DeadLetter(
            key: nil, value: nil, headers: [], origin: origin, cause: .init(.emptyValue))
        #expect(empty.key == nil)
        #expect(empty.value == nil)
    }

    @Test func `the headers tell whence and why, and no time of ours`() {
        #expect(
            headers() == [
                Header(name: "source_topic", text: "attest.requests.v1"),
                Header(name: "source_partition", text: "3"),
                Header(name: "source_offset", text: "41"),
                Header(name: "source_timestamp", text: "1790000000000"),
                Header(name: "source_consumer_group", text: "attest-worker"),
                Header(name: "error_stage", text: "decode"),
                Header(name: "error_code", text: "not_a_json_object"),
                Header(
                    name: "error_message",
                    text: "The record's value is not a JSON object in UTF-8."),
            ])
    }

    @Test func `all that can be told is told under the known names`() {
        var origin = origin
        origin.attempts = 3
        let letter = DeadLetter(
            key: nil, value: nil, headers: [], origin: origin,
            cause: .init(stage: .store, code: "row_refused", message: "x", sqlState: "22021"),
            failedAt: "2026-11-30T15:00:00Z", workerVersion: "0.1.0", workerID: "w-1")
        #expect(letter.headers.map(\.name) == DeadLetter.headerNames)
    }

    @Test func `an earlier pass is replaced, not added to`() {
        let earlier = DeadLetter.headerNames.map { Header(name: $0, text: "earlier") }
        let other = Header(name: "ce_id", text: "a")
        let second = headers([earlier[0], other] + earlier)
        #expect(second == [other] + headers())
        #expect(headers(second) == second)
    }

    @Test(arguments: [("a", 1024), ("é", 512), ("☃", 341), ("👩", 256)])
    func `a long message is cut between characters`(character: String, count: Int) {
        let cause = DeadLetter.Cause(
            stage: .verify, code: "x", message: String(repeating: character, count: 2000))
        let message = headers(cause: cause).first { $0.name == "error_message" }
        #expect(
            message
                == Header(
                    name: "error_message", text: String(repeating: character, count: count)))
    }

    @Test(arguments: UnreadableRecord.allCases)
    func `each unreadable record has its code and a sentence`(record: UnreadableRecord) {
        let cause = DeadLetter.Cause(record)
        #expect(cause.code == record.rawValue)
        #expect(cause.stage == .decode)
        #expect(cause.message.hasSuffix("."))
    }
}
