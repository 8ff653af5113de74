package import Wire

/// Something that was done, with its beginning and its end, as a tracing system takes it.
///
/// Source: OpenTelemetry, "Tracing API", and `trace.proto` 1.3.
package struct Span: Hashable, Sendable {
    /// On which side of which exchange the span stands; the numbers of `trace.proto`.
    package enum Kind: Int, Hashable, Sendable {
        /// Within the worker.
        case `internal` = 1
        /// A request to another system.
        case client = 3
        /// A message is sent.
        case producer = 4
        /// A message is handled.
        case consumer = 5
    }

    /// The value of an attribute.
    package enum Value: Hashable, Sendable {
        /// Text.
        case text(String)
        /// A whole number.
        case number(Int64)
        /// Yes or no.
        case flag(Bool)
    }

    /// What was done: of few different names there are many spans.
    package let name: String
    /// On which side of an exchange it stands.
    package let kind: Kind
    /// The span's own identity.
    package let context: TraceContext
    /// The span it is a part of; nil for the first one of its trace.
    package let parent: SpanID?
    /// What tracing systems pass on between themselves.
    package var state: String?
    /// Nanoseconds since 1970.
    package let start: Int64
    /// Nanoseconds since 1970.
    package let end: Int64
    /// What there is to say: never a key id, an owner or a part of a message.
    package var attributes: [String: Value] = [:]
    /// Spans of other traces that it has to do with.
    package var links: [TraceContext] = []
    /// How many links were left out.
    package var droppedLinkCount = 0

    /// A span that ended.
    package init(
        _ name: String, _ kind: Kind, _ context: TraceContext, parent: SpanID?, start: Int64,
        end: Int64
    ) {
        self.name = name
        self.kind = kind
        self.context = context
        self.parent = parent
        self.start = start
        self.end = end
    }
}

/// Takes spans that ended; must return at once, whatever becomes of them.
package typealias SpanSink = @Sendable ([Span]) -> Void
