/// The trace that a request belongs to, and what rides along with it.
package struct RequestTrace: Hashable, Sendable {
    /// The span that the request was sent in, or the one that goes on with it.
    package var context: TraceContext
    /// What tracing systems pass on between themselves, as it came; nil where there is none.
    package let state: String?

    /// The most bytes of a `tracestate`: what §3.3.1.5 asks everyone to pass on.
    private static let stateBytesMax = 512

    /// The trace that a record tells of; nil where it tells of none that is well-formed.
    ///
    /// Looked for in the record's own headers, then in the attributes of the CloudEvent: `ce_`
    /// headers, or members of the object in structured mode. A header that occurs twice with
    /// different values counts as malformed. Source: CloudEvents extension "distributed tracing".
    ///
    /// - Parameters:
    ///   - headers: the record's.
    ///   - value: the record's, looked into in structured mode only.
    ///   - limits: how large and deep a value may be to be looked into.
    package init?(headers: [Header], value: [UInt8]?, limits: MessageLimits) {
        if headers.isEmpty { return nil }
        for prefix in ["", "ce_"] {
            let parent = headers.onlyText(named: prefix + "traceparent")
            let state = headers.onlyText(named: prefix + "tracestate")
            if let trace = RequestTrace(parent, state) {
                self = trace
                return
            }
        }
        guard let value, value.count <= limits.valueBytesMax,
            headers.texts(named: "content-type").contains(where: {
                MediaType.essence(of: $0 ?? "") == "application/cloudevents+json"
            }),
            let event = try? JSONObjectText(value, depthMax: limits.depthMax),
            case .text(let parent) = event["traceparent"]
        else { return nil }
        var state: String?
        if case .text(let text) = event["tracestate"] { state = text }
        guard let trace = RequestTrace(parent, state) else { return nil }
        self = trace
    }

    private init?(_ parent: String?, _ state: String?) {
        guard let context = parent.flatMap(TraceContext.init(traceparent:)) else { return nil }
        self.context = context
        self.state = state.flatMap {
            HeaderText.isVisible($0, bytesMax: Self.stateBytesMax) ? $0 : nil
        }
    }

    /// The headers that tell of it.
    var headers: [Header] {
        let parent = Header(name: "traceparent", text: context.traceparent)
        return [parent] + (state.map { [Header(name: "tracestate", text: $0)] } ?? [])
    }
}
