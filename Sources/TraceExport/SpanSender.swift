import HTTPClient
import Worker

/// Posts batches to a collector, and holds on to one that may be taken later.
struct SpanSender {
    /// What became of spans.
    typealias Outcome = SpanExporter.Counts

    /// The batch in hand.
    var batch: [Span] = []
    /// How long to wait before it is tried again; nil where nothing failed.
    private(set) var pause: Duration?
    /// Where spans go.
    private(set) var settings: SpanExporter.Settings
    private let log: Log
    private let isCancelled: @Sendable () -> Bool
    private var client: HTTPClient?
    private var attempts = 0
    private var isFailing = false

    /// A sender without a connection yet.
    init(
        _ settings: SpanExporter.Settings, log: Log,
        isCancelled: @escaping @Sendable () -> Bool
    ) {
        self.settings = settings
        self.log = log
        self.isCancelled = isCancelled
    }

    /// Sends by other settings from now on, over a new connection: files are read again.
    mutating func adopt(_ settings: SpanExporter.Settings) {
        self.settings = settings
        client = nil
    }

    /// Tries to send the batch in hand.
    ///
    /// - Parameter isLast: whether there is no later.
    /// - Returns: what became of its spans; nothing of both while it is held on to.
    mutating func send(isLast: Bool) -> Outcome {
        guard
            let body = OTLPRequest.encode(
                batch, resource: settings.resource, version: settings.version)
        else { return fail("the spans can't be encoded", mayPass: false) }
        do throws(HTTPFailure) {
            let response = try post(body)
            switch response.status {
            case 200...299:
                let rejected = OTLPResponse.rejectedCount(in: response.body, of: batch.count)
                return succeed(rejected: rejected)
            case 429, 502, 503, 504:
                return fail("status \(response.status)", mayPass: !isLast)
            default:
                return fail("status \(response.status)", mayPass: false)
            }
        } catch {
            let mayPass =
                switch error.kind {
                case .unreachable, .timeout: !isLast
                case .tls, .tooLarge, .cancelled, .impossible: false
                }
            return fail(error.description, mayPass: mayPass)
        }
    }

    private mutating func post(_ body: [UInt8]) throws(HTTPFailure) -> HTTPResponse {
        if client == nil { client = try makeClient() }
        guard let client else { preconditionFailure("it was made just now") }
        let headers =
            [("content-type", "application/json")] + settings.headers.map { ($0.name, $0.value) }
        return try client.send(
            HTTPRequest(
                url: settings.endpoint,
                headers: headers.compactMap { HTTPRequest.Header(name: $0.0, value: $0.1) },
                body: body))
    }

    private func makeClient() throws(HTTPFailure) -> HTTPClient {
        var own = HTTPClient.Settings()
        own.timeout = settings.timeout
        own.caFile = settings.caFile
        own.userAgent = "attest-worker/\(settings.version)"
        own.responseBytesMax = 65_536
        return try HTTPClient(own, isCancelled: isCancelled)
    }

    private mutating func succeed(rejected: Int) -> Outcome {
        if isFailing {
            log(.info, "spans_taken_again", "the collector takes spans again")
            isFailing = false
        }
        return letGo(sent: batch.count - rejected)
    }

    private mutating func fail(_ reason: String, mayPass: Bool) -> Outcome {
        attempts += 1
        if !isFailing {
            log(
                .warning, "spans_refused",
                "the collector does not take spans; what it can't take in time is lost",
                ["error": LogValue(reason)])
            isFailing = true
        }
        guard mayPass, attempts < SpanExporter.attemptsMax else { return letGo(sent: 0) }
        pause = SpanExporter.firstPause * (1 << (attempts - 1))
        return Outcome()
    }

    /// Has done with the batch.
    private mutating func letGo(sent: Int) -> Outcome {
        defer {
            batch = []
            attempts = 0
            pause = nil
        }
        return Outcome(sent: sent, dropped: batch.count - sent)
    }
}
