import Foundation
import Testing

/// Reads what `OTLPRequest` wrote, by the names of `trace.proto`.
enum OTLPReader {
    struct Span: Decodable, Hashable {
        struct Link: Decodable, Hashable {
            let traceId: String
            let spanId: String
        }

        let traceId: String
        let spanId: String
        let parentSpanId: String?
        let name: String
        let kind: Int
        let links: [Link]
    }

    private struct Request: Decodable {
        struct ResourceSpans: Decodable {
            struct ScopeSpans: Decodable {
                let spans: [Span]
            }

            let scopeSpans: [ScopeSpans]
        }

        let resourceSpans: [ResourceSpans]
    }

    static func spans(in body: String) throws -> [Span] {
        try JSONDecoder().decode(Request.self, from: Data(body.utf8)).resourceSpans
            .flatMap(\.scopeSpans).flatMap(\.spans)
    }
}
