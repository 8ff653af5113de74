import FoundationEssentials
import Wire
import Worker

/// Spans as OTLP over HTTP takes them in JSON: an `ExportTraceServiceRequest`.
///
/// As in protobuf's JSON mapping, but that ids are hexadecimal; 64-bit numbers are text.
/// Source: OTLP 1.3, "JSON Protobuf Encoding"; `trace.proto`.
enum OTLPRequest {
    /// The request's bytes.
    ///
    /// - Parameters:
    ///   - spans: what ended.
    ///   - resource: who tells it: `service.name` and more.
    ///   - version: the worker's.
    /// - Returns: nil if it can't be encoded, which no value of these types makes happen.
    static func encode(
        _ spans: [Span], resource: [String: String], version: String
    ) -> [UInt8]? {
        let request = Request(
            resourceSpans: [
                ResourceSpans(
                    resource: Resource(attributes: attributes(resource.mapValues { .text($0) })),
                    scopeSpans: [
                        ScopeSpans(
                            scope: Scope(name: "attest-worker", version: version),
                            spans: spans.map(OTLPSpan.init))
                    ])
            ])
        return (try? JSONEncoder().encode(request)).map(Array.init)
    }

    private struct Request: Encodable {
        let resourceSpans: [ResourceSpans]
    }

    private struct ResourceSpans: Encodable {
        let resource: Resource
        let scopeSpans: [ScopeSpans]
    }

    private struct Resource: Encodable {
        let attributes: [Attribute]
    }

    private struct ScopeSpans: Encodable {
        let scope: Scope
        let spans: [OTLPSpan]
    }

    private struct Scope: Encodable {
        let name: String
        let version: String
    }

    private struct OTLPSpan: Encodable {
        let traceId: String
        let spanId: String
        let traceState: String?
        let parentSpanId: String?
        let flags: UInt32
        let name: String
        let kind: Int
        let startTimeUnixNano: String
        let endTimeUnixNano: String
        let attributes: [Attribute]
        let links: [Link]
        let droppedLinksCount: Int

        init(_ span: Span) {
            traceId = span.context.traceID.hexadecimal
            spanId = span.context.spanID.hexadecimal
            traceState = span.state
            parentSpanId = span.parent?.hexadecimal
            flags = UInt32(span.context.flags)
            name = span.name
            kind = span.kind.rawValue
            startTimeUnixNano = String(max(0, span.start))
            endTimeUnixNano = String(max(0, span.end))
            attributes = OTLPRequest.attributes(span.attributes)
            links = span.links.map(Link.init)
            droppedLinksCount = span.droppedLinkCount
        }
    }

    private struct Link: Encodable {
        let traceId: String
        let spanId: String
        let flags: UInt32

        init(_ context: TraceContext) {
            traceId = context.traceID.hexadecimal
            spanId = context.spanID.hexadecimal
            flags = UInt32(context.flags)
        }
    }

    private struct Attribute: Encodable {
        let key: String
        let value: Value
    }

    /// One of the members is there.
    private struct Value: Encodable {
        var stringValue: String?
        var intValue: String?
        var boolValue: Bool?

        init(_ value: Span.Value) {
            switch value {
            case .text(let text): stringValue = text
            case .number(let number): intValue = String(number)
            case .flag(let flag): boolValue = flag
            }
        }
    }

    private static func attributes(_ values: [String: Span.Value]) -> [Attribute] {
        values.sorted { $0.key < $1.key }.map { Attribute(key: $0.key, value: Value($0.value)) }
    }
}

/// What a collector answers to a request that it took: how many spans it refused all the same.
struct OTLPResponse: Decodable {
    private struct PartialSuccess: Decodable {
        let rejectedSpans: Int

        private enum Names: CodingKey {
            case rejectedSpans
        }

        /// A 64-bit number: text by the mapping, a number from lenient collectors.
        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: Names.self)
            if let text = try? values.decode(String.self, forKey: .rejectedSpans) {
                rejectedSpans = Int(text) ?? 0
            } else {
                rejectedSpans = try values.decodeIfPresent(Int.self, forKey: .rejectedSpans) ?? 0
            }
        }
    }

    private let partialSuccess: PartialSuccess?

    /// How many spans of a request were refused; 0 where the answer does not tell.
    static func rejectedCount(in body: [UInt8], of count: Int) -> Int {
        let response = try? JSONDecoder().decode(OTLPResponse.self, from: Data(body))
        return min(max(0, response?.partialSuccess?.rejectedSpans ?? 0), count)
    }
}
