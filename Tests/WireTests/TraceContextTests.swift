import AppAttest
import SeededNumbers
import Testing
import Wire

@Suite struct `Trace contexts` {
    private static let text = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    private static let other = "00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"

    private func trace(_ headers: [(String, String)], value: String? = nil) -> RequestTrace? {
        RequestTrace(
            headers: headers.map { Header(name: $0.0, text: $0.1) },
            value: value.map { Array($0.utf8) }, limits: MessageLimits())
    }

    @Test func `are read and written again`() throws {
        let context = try #require(TraceContext(traceparent: Self.text))
        #expect(context.traceparent == Self.text)
        #expect(context.traceID.hexadecimal == "0af7651916cd43dd8448eb211c80319c")
        #expect(context.spanID.hexadecimal == "b7ad6b7169203331")
        #expect(context.isSampled)
        let zeros = "00-00000000000000000000000000000001-0000000000000001-0a"
        #expect(TraceContext(traceparent: zeros)?.traceparent == zeros)
        #expect(TraceContext(traceparent: zeros)?.isSampled == false)
    }

    @Test(arguments: ["", "-what comes later", "-"])
    func `of later versions are read as far as they are known`(_ rest: String) {
        let later = "cc" + Self.text.dropFirst(2) + rest
        #expect(TraceContext(traceparent: later)?.traceparent == Self.text)
    }

    @Test(
        arguments: [
            "", "00", "garbage", "ff" + text.dropFirst(2), text + "-", text + "-x", text + "0",
            "0" + text, text.uppercased(), "cc" + text.dropFirst(2) + "x",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0af7651916cd43dd8448eb211c80319-bb7ad6b7169203331-01",
            "00-+af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-+1",
            "00-０af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "cc" + text.dropFirst(2) + "-" + String(repeating: "x", count: 512),
        ] as [String])
    func `that are malformed are none`(_ text: String) {
        #expect(TraceContext(traceparent: text) == nil)
    }

    /// Whatever comes, there is no trap, and what is read has exactly one spelling.
    @Test func `are read safely from any text`() {
        let seed: UInt64 = 17
        var random = SplitMix64(seed: seed)
        var readCount = 0
        for _ in 0..<20_000 {
            var bytes = Array(Self.text.utf8)
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.remove(at: place)
                case 1: bytes.insert(.random(in: 0 ... .max, using: &random), at: place)
                case 2:
                    bytes[place] =
                        Array("0123456789abcdef-".utf8).randomElement(using: &random) ?? 0
                default: bytes[place] = .random(in: 0 ... .max, using: &random)
                }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            guard let context = TraceContext(traceparent: text) else { continue }
            readCount += 1
            #expect(TraceContext(traceparent: context.traceparent) == context, "seed \(seed)")
            if text.hasPrefix("00") { #expect(context.traceparent == text, "seed \(seed)") }
        }
        #expect(readCount > 1_000)
    }

    @Test func `have children of the same trace, without flags that mean nothing`() throws {
        var random = SplitMix64(seed: 1)
        let parent = try #require(TraceContext(traceparent: Self.text.dropLast(2) + "ff"))
        let child = parent.child(SpanID(using: &random))
        #expect(child.traceID == parent.traceID)
        #expect(child.spanID != parent.spanID)
        #expect(child.flags == 0x03)
        #expect(parent.traceparent.hasSuffix("-ff"))
        #expect(TraceID(using: &random) != TraceID(using: &random))
    }

    @Test func `of a record come from its headers, then from the event`() {
        let event = #"{"specversion":"1.0","traceparent":"\#(Self.other)","tracestate":"c=3"}"#
        let structured = ("content-type", "application/cloudevents+json; charset=utf-8")
        let own = ("traceparent", Self.text)
        let binary = ("ce_traceparent", Self.other)
        #expect(trace([binary, own, ("tracestate", "a=1")])?.context.traceparent == Self.text)
        #expect(trace([binary, own, ("tracestate", "a=1")])?.state == "a=1")
        // The state of another context is not this one's.
        #expect(trace([own, ("ce_tracestate", "b=2")])?.state == nil)
        #expect(trace([binary, ("ce_tracestate", "b=2")])?.state == "b=2")
        #expect(trace([("traceparent", "x"), binary])?.context.traceparent == Self.other)
        #expect(trace([structured], value: event)?.context.traceparent == Self.other)
        #expect(trace([structured], value: event)?.state == "c=3")
        #expect(trace([structured, own], value: event)?.context.traceparent == Self.text)
        // No event, no attributes.
        #expect(trace([], value: event) == nil)
        #expect(trace([structured], value: "[" + event) == nil)
        #expect(trace([structured], value: #"{"traceparent":1}"#) == nil)
        #expect(trace([structured], value: nil) == nil)
    }

    @Test func `that a record tells twice, and not the same way, are none`() {
        #expect(trace([("traceparent", Self.text), ("traceparent", Self.other)]) == nil)
        #expect(trace([("traceparent", Self.text), ("traceparent", Self.text)]) != nil)
    }
}
