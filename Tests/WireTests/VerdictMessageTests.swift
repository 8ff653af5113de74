import AppAttest
import Testing
import Wire

@Suite struct VerdictMessageTests {
    private static let traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    private func message(
        keyID: KeyID? = Sample.keyID, headers: [Header] = [], isRedelivered: Bool = false,
        group: String = "attest-worker"
    ) -> VerdictMessage {
        VerdictMessage.record(
            verdict: Array("{}".utf8), verdictID: VerdictSamples.id, keyID: keyID,
            requestHeaders: headers,
            trace: RequestTrace(headers: headers, value: nil, limits: MessageLimits()),
            isRedelivered: isRedelivered, consumerGroup: group)
    }

    private func copies(of headers: [Header]) -> [Header] {
        let ours = Set(message().headers.map(\.name))
        return message(headers: headers).headers.filter { !ours.contains($0.name) }
    }

    @Test func `a verdict is a CloudEvent in binary mode, keyed by key id`() {
        let message = message()
        let keyID = Sample.keyID.text
        #expect(message.key == Array(keyID.utf8))
        #expect(message.value == Array("{}".utf8))
        #expect(
            message.headers == [
                Header(name: "ce_specversion", text: "1.0"),
                Header(name: "ce_id", text: VerdictSamples.id.text),
                Header(name: "ce_source", text: "//attest-worker/attest-worker"),
                Header(name: "ce_type", text: "attest.verdict.decided.v1"),
                Header(name: "ce_subject", text: keyID),
                Header(name: "content-type", text: "application/json"),
            ])
    }

    @Test func `without a key id there is neither key nor subject`() {
        let message = message(keyID: nil)
        #expect(message.key == nil)
        #expect(!message.headers.contains { $0.name == "ce_subject" })
    }

    @Test func `a repetition differs by its mark alone`() {
        let first = message()
        let again = message(isRedelivered: true)
        #expect(again.key == first.key)
        #expect(again.value == first.value)
        #expect(again.headers == first.headers + [Header(name: "attest-redelivered", text: "1")])
    }

    @Test func `a group's name is escaped in the source`() {
        let source = message(group: "a/b ü\n").headers.first { $0.name == "ce_source" }
        #expect(source == Header(name: "ce_source", text: "//attest-worker/a%2Fb%20%C3%BC%0A"))
    }

    @Test func `trace context, baggage and correlation id are taken over`() {
        let headers = [
            Header(name: "traceparent", text: Self.traceparent),
            Header(name: "tracestate", text: "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"),
            Header(name: "baggage", text: "userId=alice, serverNode=DF%2028"),
            Header(name: "ce_correlationid", text: "flow-1"),
        ]
        #expect(copies(of: headers + [Header(name: "x-other", text: "x")]) == headers)
    }

    @Test(arguments: [
        "", "00", "garbage", "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
        "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
    ])
    func `a broken traceparent is left out, and its tracestate too`(text: String) {
        let headers = [
            Header(name: "traceparent", text: text), Header(name: "tracestate", text: "a=b"),
        ]
        #expect(copies(of: headers).isEmpty)
    }

    @Test(arguments: [
        Header(name: "tracestate", text: String(repeating: "a", count: 513)),
        Header(name: "tracestate", text: "a=\n"), Header(name: "tracestate", text: ""),
        Header(name: "tracestate", value: [0xFF]), Header(name: "tracestate", value: nil),
        Header(name: "baggage", text: String(repeating: "a", count: 8193)),
        Header(name: "baggage", text: "a=é"),
        Header(name: "ce_correlationid", text: String(repeating: "a", count: 257)),
        Header(name: "ce_correlationid", text: "a\u{0}"),
        Header(name: "ce_correlationid", text: ""),
    ])
    func `a header that is too long or not text is left out`(header: Header) {
        let parent = Header(name: "traceparent", text: Self.traceparent)
        #expect(copies(of: [parent, header]) == [parent])
    }

    @Test func `a header that occurs twice with two values is left out`() {
        let one = Header(name: "baggage", text: "a=1")
        #expect(copies(of: [one, Header(name: "baggage", text: "a=2")]).isEmpty)
        #expect(copies(of: [one, Header(name: "baggage", value: [0xFF])]).isEmpty)
        #expect(copies(of: [one, one]) == [one])
    }
}
