/// What came of asking Apple for a new receipt of one key.
package enum RefreshOutcome: Hashable, Sendable {
    /// 200 with a receipt that was verified.
    case renewed(receipt: [UInt8], ReceiptFacts)
    /// Apple did not give one.
    case failed(RefreshFailure)

    /// A word for logs and metrics.
    package var name: String {
        switch self {
        case .renewed: "renewed"
        case .failed(let failure): failure.rawValue
        }
    }

    /// Every word there is.
    package static let names = ["renewed"] + RefreshFailure.allCases.map(\.rawValue)
}

/// Why there is no new receipt.
///
/// Source: Apple, "Assessing fraud risk"; what each means is told in docs/receipts.md.
package enum RefreshFailure: String, Hashable, Sendable, CaseIterable {
    /// 304: before the receipt's not-before.
    case tooEarly = "too_early"
    /// 400: the receipt is damaged, or belongs to the other environment.
    case refused
    /// 401: the token is wrong.
    case unauthorized
    /// 404: Apple has no data for the receipt now.
    case noData = "no_data"
    /// 429: too many requests.
    case throttled
    /// 5xx.
    case serverError = "server_error"
    /// 200 with something that is no valid receipt of this key, or a status nobody has told of.
    case unusable
    /// No connection.
    case unreachable
    /// No answer in time; whether Apple took the request is unknown.
    case timeout
    /// It can't be proved that it is Apple who answers.
    case tls
    /// The stored receipt is none that Apple signed for this key: it was not sent.
    case invalidStored = "invalid_stored"

    /// Whether Apple has, or may have, dealt with this very receipt.
    var reachedApple: Bool {
        switch self {
        case .tooEarly, .refused, .noData, .unusable, .timeout: true
        case .unauthorized, .throttled, .serverError, .unreachable, .tls, .invalidStored: false
        }
    }
}
