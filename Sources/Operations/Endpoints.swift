internal import Worker

/// What is answered to a request.
package struct HTTPAnswer: Sendable {
    /// The HTTP status.
    package var status: UInt32
    /// Names and values.
    package var headers: [(String, String)]
    /// The body; the length goes out also where the body does not (HEAD).
    package var body: [UInt8]

    /// An answer from its parts.
    package init(status: UInt32, headers: [(String, String)], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Plain text.
    static func text(_ status: UInt32, _ text: String) -> HTTPAnswer {
        HTTPAnswer(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8")],
            body: Array((text + "\n").utf8))
    }
}

/// The paths and what is found at each.
///
/// Knows HTTP as values only: which library speaks it is the server's business.
final class Endpoints: Sendable {
    private let source: any OperationsSource

    init(source: any OperationsSource) {
        self.source = source
    }

    /// Every path.
    static let paths = [
        "/metrics", "/livez", "/readyz", "/startupz", "/statusz", "/version", keySetPath,
    ]
    /// Where the keys of tokens are: RFC 8615, 3.
    static let keySetPath = "/.well-known/jwks.json"
    /// For how long the key set may be kept, in seconds: a key signs that long after it came there.
    static let keySetSecondsMax = 3600

    /// Answers one request.
    ///
    /// - Parameters:
    ///   - method: as it was sent.
    ///   - path: without query, percent signs decoded.
    ///   - accept: the `Accept` header.
    /// - Returns: status, headers and body.
    func answer(method: String, path: String, accept: String?) -> HTTPAnswer {
        var answer = found(method: method, path: path, accept: accept)
        // Nothing else here may be kept: it tells of a moment.
        let mayBeKept = path == Self.keySetPath && answer.status == 200
        answer.headers.append(
            ("Cache-Control", mayBeKept ? "public, max-age=\(Self.keySetSecondsMax)" : "no-store"))
        return answer
    }

    private func found(method: String, path: String, accept: String?) -> HTTPAnswer {
        guard method == "GET" || method == "HEAD" else {
            var answer = HTTPAnswer.text(405, "only GET and HEAD are answered")
            answer.headers.append(("Allow", "GET, HEAD"))
            return answer
        }
        guard path.utf8.count <= OperationsServer.pathBytesMax else {
            return .text(414, "the path is too long")
        }
        switch path {
        case "/metrics":
            let format = MediaRange.format(for: accept)
            return HTTPAnswer(
                status: 200, headers: [("Content-Type", format.mediaType), ("Vary", "Accept")],
                body: source.metrics(as: format))
        case "/livez": return probe(.liveness)
        case "/readyz": return probe(.readiness)
        case "/startupz": return probe(.startup)
        case "/statusz":
            return HTTPAnswer(
                status: 200, headers: [("Content-Type", "application/json")],
                body: source.statusJSON)
        case "/version":
            return HTTPAnswer(
                status: 200, headers: [("Content-Type", "application/json")],
                body: StatusPage.version(source.facts))
        case Self.keySetPath:
            guard let keySet = source.keySet else {
                return .text(404, "no tokens are made here: tokens.keyFiles is not set")
            }
            // RFC 7517, 8.5.1.
            return HTTPAnswer(
                status: 200, headers: [("Content-Type", "application/jwk-set+json")], body: keySet)
        default:
            return .text(404, "nothing here; there are " + Self.paths.joined(separator: " "))
        }
    }

    private func probe(_ probe: HealthQuestion) -> HTTPAnswer {
        let health = source.health(probe)
        return health.isWell
            ? .text(200, "ok") : .text(503, health.problems.joined(separator: "\n"))
    }
}
