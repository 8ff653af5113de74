package import AppAttest
package import HTTPClient
internal import Wire
package import Worker

/// Apple's server for receipts, over HTTPS on connections that are kept; HTTP/2 where it has that.
///
/// Source: Apple, "Assessing fraud risk": POST of the receipt in base64; the token stands in
/// `Authorization` as it is, without a scheme.
package final class AppleReceiptService: ReceiptService {
    /// Where Apple is, and how patient to be.
    package struct Settings: Hashable, Sendable {
        /// Where keys of production builds are asked about.
        package var productionURL: String
        /// Where those of development builds are.
        package var developmentURL: String
        /// Proxy, roots, time.
        package var http: HTTPClient.Settings

        /// Settings from their parts.
        package init(
            productionURL: String, developmentURL: String, http: HTTPClient.Settings
        ) {
            self.productionURL = productionURL
            self.developmentURL = developmentURL
            self.http = http
            self.http.responseBytesMax = ReceiptCheck.answerBytesMax
        }
    }

    private let settings: Settings
    private let client: HTTPClient

    /// A service that is not connected yet.
    ///
    /// - Parameters:
    ///   - settings: where to.
    ///   - isCancelled: asked about once a second while a request is under way.
    /// - Throws: `.impossible` if libcurl can't be had.
    package init(
        _ settings: Settings, isCancelled: @escaping @Sendable () -> Bool
    ) throws(HTTPFailure) {
        self.settings = settings
        client = try HTTPClient(settings.http, isCancelled: isCancelled)
    }

    package func exchange(
        _ receipt: [UInt8], in environment: AttestationEnvironment, token: ProviderToken
    ) -> ReceiptServiceAnswer {
        let headers = [
            HTTPRequest.Header(name: "Authorization", value: token.text),
            HTTPRequest.Header(name: "Content-Type", value: "text/plain"),
        ].compactMap { $0 }
        let url =
            switch environment {
            case .production: settings.productionURL
            case .development: settings.developmentURL
            }
        let body = Array(Base64.encode(receipt).utf8)
        do {
            let response = try client.send(HTTPRequest(url: url, headers: headers, body: body))
            return .status(response.status, body: response.body)
        } catch {
            return Self.answer(error)
        }
    }

    private static func answer(_ failure: HTTPFailure) -> ReceiptServiceAnswer {
        switch failure.kind {
        case .unreachable, .impossible: .none(.unreachable, failure.description)
        case .timeout: .none(.timeout, failure.description)
        case .tls: .none(.tls, failure.description)
        case .tooLarge: .none(.unusable, failure.description)
        case .cancelled: .cancelled
        }
    }
}
