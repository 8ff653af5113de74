internal import AppAttest

/// What stands around a request: nothing, the `ce_*` headers of a CloudEvent in binary mode, or the
/// CloudEvent that holds it in structured mode.
///
/// Source: CloudEvents 1.0.2, "Kafka Protocol Binding" §3.2, §3.3; "JSON Event Format" §3.1.
struct Envelope {
    /// The request's own object.
    let body: JSONObjectText
    /// The first flaw in the value, inside the body or around it.
    let flaw: JSONFlaw?
    /// Each id that the envelope gives; nil for one that can't be read.
    let ids: [String?]
    /// The kinds that the envelope's types announce.
    let announcedKinds: Set<RequestKind>

    /// Takes the envelope off.
    ///
    /// - Throws: `.notAJSONObject`, or `.unreadableEnvelope` where this version of CloudEvents or
    ///   of our types is unknown, or what CloudEvents requires is missing.
    init(value: [UInt8], headers: [Header], limits: MessageLimits) throws(UnreadableRecord) {
        let text = try Self.object(value, limits: limits)
        var ids = headers.texts(named: "ce_id")
        var types = headers.texts(named: "ce_type")
        for version in headers.texts(named: "ce_specversion") where version != "1.0" {
            throw .unreadableEnvelope
        }
        if try Self.isStructured(headers) {
            let event = try StructuredEvent(text)
            body = try Self.object(event.data, limits: limits)
            flaw = text.flaw ?? body.flaw
            ids.append(event.id)
            types.append(event.type)
        } else {
            body = text
            flaw = text.flaw
        }
        self.ids = ids
        announcedKinds = try Self.kinds(announcedBy: types)
    }

    private static func object(
        _ bytes: [UInt8], limits: MessageLimits
    ) throws(UnreadableRecord) -> JSONObjectText {
        do {
            return try JSONObjectText(bytes, depthMax: limits.depthMax)
        } catch {
            throw .notAJSONObject
        }
    }

    /// Whether the value is a whole CloudEvent: the content type alone tells.
    private static func isStructured(_ headers: [Header]) throws(UnreadableRecord) -> Bool {
        let cloudEvents = headers.texts(named: "content-type")
            .map { MediaType.essence(of: $0 ?? "") }
            .filter { $0.hasPrefix("application/cloudevents") }
        guard cloudEvents.allSatisfy({ $0 == "application/cloudevents+json" }) else {
            // A batch, or another format than JSON.
            throw .unreadableEnvelope
        }
        return !cloudEvents.isEmpty
    }

    private static func kinds(
        announcedBy types: [String?]
    ) throws(UnreadableRecord) -> Set<RequestKind> {
        var kinds: Set<RequestKind> = []
        for type in types {
            guard let type = type.flatMap(RequestEventType.init) else { continue }
            guard type.isCurrent else { throw .unreadableEnvelope }
            kinds.insert(type.kind)
        }
        return kinds
    }
}
