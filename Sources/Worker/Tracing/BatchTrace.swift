import Wire

/// What bounds the spans of a batch.
package enum BatchTraceLimits {
    /// More links are counted only.
    package static let linksMax = 128
}

/// The traces that go through one batch of a lane.
///
/// Each request goes on with its own trace, in three spans; the batch, which belongs to none of
/// them, is a trace of its own that is linked to all:
///
///     the request's trace   … → process → decide
///                                       ↘ send → whoever reads the verdict
///     the batch's trace     process batch → decide, commit
///
/// Spans are made only where somebody records the trace of a request. Where nobody does, the
/// verdict has a new span id all the same, as a span that is not recorded has.
///
/// Source: OpenTelemetry semantic conventions 1.27, "Messaging spans", "Kafka", "Database spans".
struct BatchTrace {
    /// A request's place in its trace.
    struct Request {
        /// What the request came with.
        let incoming: RequestTrace
        /// Where it lies.
        let place: RecordPlace
        /// The span in which it is handled.
        let processing: TraceContext
        /// The span in which its verdict is sent: what the verdict tells.
        let sending: TraceContext
        /// The span in which the database decided; made for the request, as its trace shows it.
        let deciding: TraceContext
        /// The verdict, once there is one.
        var verdict: (id: VerdictID, isRepeat: Bool)?
    }

    /// When the parts of a batch began and ended, on the lane's monotonic clock.
    struct Times {
        /// When the records were in hand.
        let received: Duration
        /// When the database was first asked.
        let asked: Duration
        /// When it had decided.
        let decided: Duration
        /// When all verdicts were delivered.
        var delivered: Duration = .zero
        /// When the offsets were committed.
        var committed: Duration = .zero
    }

    private var requests: [RecordPlace: Request] = [:]
    private let batch: TraceContext
    private let deciding: TraceContext
    private let committing: TraceContext
    private let recordCount: Int
    private let settings: LaneSettings
    var times: Times

    private static let sampled: UInt8 = 0x01

    /// Gives every request of a batch that belongs to a trace its spans.
    init(
        _ records: [Record], _ settings: LaneSettings, _ times: Times,
        random: inout some RandomNumberGenerator
    ) {
        batch = TraceContext(
            traceID: TraceID(using: &random), spanID: SpanID(using: &random), flags: Self.sampled)
        deciding = batch.child(SpanID(using: &random))
        committing = batch.child(SpanID(using: &random))
        recordCount = records.count
        self.settings = settings
        self.times = times
        for record in records {
            guard let incoming = record.trace(settings.messageLimits) else { continue }
            let context = incoming.context
            requests[record.place] = Request(
                incoming: incoming, place: record.place,
                processing: context.child(SpanID(using: &random)),
                sending: context.child(SpanID(using: &random)),
                deciding: context.child(SpanID(using: &random)))
        }
    }

    /// Notes a verdict.
    ///
    /// - Parameters:
    ///   - place: the request's.
    ///   - id: the verdict's.
    ///   - isRepeat: whether it was decided before.
    /// - Returns: what the verdict goes on with; nil where its request belongs to no trace.
    mutating func sending(
        of place: RecordPlace, _ id: VerdictID, isRepeat: Bool
    ) -> RequestTrace? {
        guard let request = requests[place] else { return nil }
        requests[place]?.verdict = (id, isRepeat)
        var trace = request.incoming
        trace.context = request.sending
        return trace
    }

    /// Makes the spans.
    ///
    /// - Parameter now: the wall clock, in nanoseconds since 1970, and the monotonic clock.
    /// - Returns: those of traces that somebody records, and then those of the batch.
    func spans(now: (wall: Int64, monotonic: Duration)) -> [Span] {
        let sampled = requests.values.filter(\.incoming.context.isSampled)
            .sorted {
                ($0.place.partition, $0.place.offset) < ($1.place.partition, $1.place.offset)
            }
        guard !sampled.isEmpty else { return [] }
        let moments = Moments(now)
        return sampled.flatMap { spans(of: $0, moments) } + batchSpans(sampled, moments)
    }

    // MARK: - A request's spans

    private func spans(of request: Request, _ moments: Moments) -> [Span] {
        let topic = request.place.topic
        var process = Span(
            "process \(topic)", .consumer, request.processing,
            parent: request.incoming.context.spanID, start: moments(times.received),
            end: moments(times.delivered))
        process.state = request.incoming.state
        process.attributes = messaging("process", topic)
        process.attributes["messaging.destination.partition.id"] = .text(
            "\(request.place.partition)")
        process.attributes["messaging.kafka.message.offset"] = .number(request.place.offset)
        process.links = [batch]
        let decide = decideSpan(
            request.deciding, parent: request.processing.spanID, moments)
        guard let verdict = request.verdict else { return [process, decide] }
        process.attributes["attest.redelivered"] = .flag(verdict.isRepeat)
        var send = Span(
            "send \(settings.verdictTopic)", .producer, request.sending,
            parent: request.processing.spanID, start: moments(times.decided),
            end: moments(times.delivered))
        send.attributes = messaging("send", settings.verdictTopic)
        send.attributes["messaging.message.id"] = .text(verdict.id.text)
        return [process, decide, send]
    }

    // MARK: - The batch's spans

    private func batchSpans(_ sampled: [Request], _ moments: Moments) -> [Span] {
        let topics = Set(sampled.map(\.place.topic))
        var process = Span(
            "process batch", .consumer, batch, parent: nil, start: moments(times.received),
            end: moments(times.committed))
        process.attributes = messaging("process", topics.count == 1 ? topics.first : nil)
        process.attributes["messaging.batch.message_count"] = .number(Int64(recordCount))
        process.links = sampled.prefix(BatchTraceLimits.linksMax).map(\.processing)
        process.droppedLinkCount = max(0, sampled.count - BatchTraceLimits.linksMax)
        var decide = decideSpan(deciding, parent: batch.spanID, moments)
        decide.attributes["db.operation.batch.size"] = .number(Int64(recordCount))
        var commit = Span(
            "commit", .client, committing, parent: batch.spanID, start: moments(times.delivered),
            end: moments(times.committed))
        commit.attributes = messaging("settle", topics.count == 1 ? topics.first : nil)
        return [process, decide, commit]
    }

    // MARK: - Both

    private func decideSpan(
        _ context: TraceContext, parent: SpanID, _ moments: Moments
    ) -> Span {
        var span = Span(
            "decide", .client, context, parent: parent, start: moments(times.asked),
            end: moments(times.decided))
        span.attributes = ["db.system": .text("postgresql")]
        return span
    }

    private func messaging(_ operation: String, _ topic: String?) -> [String: Span.Value] {
        var attributes: [String: Span.Value] = [
            "messaging.system": .text("kafka"), "messaging.operation.type": .text(operation),
            "messaging.operation.name": .text(operation),
        ]
        if let topic { attributes["messaging.destination.name"] = .text(topic) }
        if operation != "send" {
            attributes["messaging.consumer.group.name"] = .text(settings.groupID)
        }
        return attributes
    }

    /// Readings of the monotonic clock as nanoseconds since 1970.
    private struct Moments {
        private let now: (wall: Int64, monotonic: Duration)

        init(_ now: (wall: Int64, monotonic: Duration)) {
            self.now = now
        }

        func callAsFunction(_ reading: Duration) -> Int64 {
            let age = (now.monotonic - reading).components
            return now.wall - age.seconds * 1_000_000_000 - age.attoseconds / 1_000_000_000
        }
    }
}

extension Record {
    /// The trace that the request tells of.
    func trace(_ limits: MessageLimits) -> RequestTrace? {
        RequestTrace(headers: headers, value: value, limits: limits)
    }
}
