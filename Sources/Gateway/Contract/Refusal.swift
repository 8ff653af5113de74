package import Operations
package import Wire

/// A request that is not served, as a google.rpc.Status.
///
/// App Check's client reacts to the HTTP status alone: after 400 and 404 it stays away for a day, a
/// 403 at an attestation makes it forget key and artifact and begin anew, everything else is tried
/// again with a growing pause. So what a phone can't help, and what passes, is never a 400.
package struct Refusal: Error, Hashable, Sendable {
    /// The codes that are used, by their names in google.rpc.Code.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        case invalidArgument = "INVALID_ARGUMENT"
        case unauthenticated = "UNAUTHENTICATED"
        case permissionDenied = "PERMISSION_DENIED"
        case notFound = "NOT_FOUND"
        case aborted = "ABORTED"
        case resourceExhausted = "RESOURCE_EXHAUSTED"
        case unimplemented = "UNIMPLEMENTED"
        case unavailable = "UNAVAILABLE"

        /// The HTTP status of google/rpc/code.proto.
        package var status: UInt32 {
            switch self {
            case .invalidArgument: 400
            case .unauthenticated: 401
            case .permissionDenied: 403
            case .notFound: 404
            case .aborted: 409
            case .resourceExhausted: 429
            case .unimplemented: 501
            case .unavailable: 503
            }
        }
    }

    /// Whose words ``reason`` is one of.
    package static let domain = "attest-worker"

    /// The code.
    package let code: Code
    /// A verdict's reason, or one of the gateway's own, in snake case.
    package let reason: String
    /// One sentence for whoever writes the client.
    package let message: String
    /// The HTTP status where that is a finer one than the code's.
    package var finerStatus: UInt32?
    /// After how many seconds it may be tried again.
    package var retryAfter: Int?
    /// What may be asked instead, for 405.
    package var allowed: String?
    /// The request it is about, once it has an id.
    package var requestID: RequestID?

    /// A refusal from its parts.
    package init(
        _ code: Code, _ reason: String, _ message: String, finerStatus: UInt32? = nil,
        retryAfter: Int? = nil, allowed: String? = nil
    ) {
        self.code = code
        self.reason = reason
        self.message = message
        self.finerStatus = finerStatus
        self.retryAfter = retryAfter
        self.allowed = allowed
    }

    /// The HTTP status.
    package var status: UInt32 { finerStatus ?? code.status }

    /// The refusal of a request that a worker has rejected.
    package init(rejectedFor reason: String, isRetryable: Bool) {
        let (code, message) = Self.meaning(of: reason, isRetryable: isRetryable)
        self.init(code, reason, message, retryAfter: code == .unavailable ? 10 : nil)
    }

    private static func meaning(
        of code: String, isRetryable: Bool
    ) -> (Code, String) {
        switch WorkerReason(rawValue: code) {
        case .malformedMessage, .unsupportedFormat:
            (.invalidArgument, "the request is none that can be judged")
        case .requestIDConflict:
            (.aborted, "the idempotency key was used before with other content")
        case .staleRequest:
            (.aborted, "the idempotency key was used before, too long ago for its answer")
        // A phone whose key is not known, or too old, helps itself by attesting anew; the verdict
        // calls it retryable as the same object may be accepted once its key is registered.
        case .unknownKey, .attestationTooOld, .keyIdle:
            (.permissionDenied, "the key must be attested anew")
        default:
            isRetryable
                ? (.unavailable, "it can't be judged now; try again later")
                : (.permissionDenied, "the request is refused")
        }
    }

    /// As it goes over HTTP.
    package var answer: HTTPAnswer {
        var headers = GatewayAnswer.headers
        if let retryAfter { headers.append(("Retry-After", String(retryAfter))) }
        if let allowed { headers.append(("Allow", allowed)) }
        if code == .unauthenticated { headers.append(("WWW-Authenticate", "Bearer")) }
        return HTTPAnswer(status: status, headers: headers, body: body)
    }

    private var body: [UInt8] {
        let metadata: JSONText =
            requestID.map { .object([("requestId", .text($0.text))]) } ?? .object([])
        return JSONText.object([
            (
                "error",
                .object([
                    ("code", .number(Int(status))), ("message", .text(message)),
                    ("status", .text(code.rawValue)),
                    (
                        "details",
                        .list([
                            .object([
                                ("@type", .text("type.googleapis.com/google.rpc.ErrorInfo")),
                                // Source: google/rpc/error_details.proto: UPPER_SNAKE_CASE.
                                ("reason", .text(reason.uppercased())),
                                ("domain", .text(Self.domain)), ("metadata", metadata),
                            ])
                        ])
                    ),
                ])
            )
        ]).bytes
    }
}
