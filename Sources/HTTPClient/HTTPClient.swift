import CCurl
import CCurlShims

/// Requests over HTTP and HTTPS, one after the other, on connections that are kept.
///
/// Certificates are verified, redirects are not followed, proxies are taken from `http_proxy`,
/// `https_proxy` and `no_proxy` as libcurl reads them. Used by one thread at a time.
///
/// Source: libcurl 7.88, libcurl-easy(3), libcurl-thread(3).
package final class HTTPClient {
    /// What holds for all requests.
    package struct Settings: Hashable, Sendable {
        /// How long one request may take in all.
        package var timeout: Duration = .seconds(10)
        /// The most bytes of a response's body.
        package var responseBytesMax = 1 << 20
        /// A file of certificates in PEM to trust in place of the system's; nil: the system's.
        package var caFile: String?
        /// The proxy's URL; nil: as the environment has it.
        package var proxy: String?
        /// How the client calls itself.
        package var userAgent = "attest-worker"

        /// The defaults.
        package init() {}
    }

    private let handle: UnsafeMutableRawPointer
    private let transfer: Transfer
    private let settings: Settings

    /// What libcurl's callbacks see; lives as long as the handle.
    private final class Transfer {
        let bytesMax: Int
        let isCancelled: @Sendable () -> Bool
        var body: [UInt8] = []

        init(bytesMax: Int, isCancelled: @escaping @Sendable () -> Bool) {
            self.bytesMax = bytesMax
            self.isCancelled = isCancelled
        }
    }

    /// libcurl's own beginning, once a process and before any other thread uses it.
    private static let started = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// A client without any connection yet.
    ///
    /// - Parameters:
    ///   - settings: what holds for all requests.
    ///   - isCancelled: asked about once a second while a request is under way; when it is true,
    ///     the request ends. Called on the thread of the request.
    /// - Throws: `.impossible` if libcurl can't be had.
    package init(
        _ settings: Settings, isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(HTTPFailure) {
        guard Self.started == CURLE_OK, let handle = curl_easy_init() else {
            throw HTTPFailure(kind: .impossible, code: 2, message: "libcurl can't be started")
        }
        self.handle = handle
        self.settings = settings
        transfer = Transfer(bytesMax: settings.responseBytesMax, isCancelled: isCancelled)
    }

    deinit {
        curl_easy_cleanup(handle)
    }

    /// Sends a request and waits for its answer.
    ///
    /// - Parameter request: a GET, or a POST if it has a body.
    /// - Returns: the answer, whatever its status.
    /// - Throws: why none came.
    package func send(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse {
        // Connections stay; all options are set anew, so that none is left of another request.
        curl_easy_reset(handle)
        transfer.body.removeAll()
        try prepare(request)
        // Copied by curl_slist_append; freed when the request is over.
        var lines: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(lines) }
        // `Expect: 100-continue` would cost a round trip, or a second where it is not understood.
        for line in request.headers.map({ "\($0.name): \($0.value)" }) + ["Expect:"] {
            guard let longer = curl_slist_append(lines, line) else {
                throw failure(CURLE_OUT_OF_MEMORY)
            }
            lines = longer
        }
        try check(attest_curl_set_pointer(handle, CURLOPT_HTTPHEADER, lines))
        let code = perform(posting: request.body)
        // The context is alive in `transfer`, which this object holds.
        try check(code)
        var status = 0
        try check(attest_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &status))
        return HTTPResponse(status: status, body: transfer.body)
    }

    private func prepare(_ request: HTTPRequest) throws(HTTPFailure) {
        try set(CURLOPT_URL, request.url)
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_USERAGENT, settings.userAgent)
        if let caFile = settings.caFile { try set(CURLOPT_CAINFO, caFile) }
        if let proxy = settings.proxy { try set(CURLOPT_PROXY, proxy) }
        // Signals are the process's own affair; and libcurl's alarm would hit any thread.
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_FOLLOWLOCATION, 0)
        // CURL_SSLVERSION_TLSv1_2
        try set(CURLOPT_SSLVERSION, 6)
        let seconds: Double = settings.timeout / .seconds(1)
        try set(CURLOPT_TIMEOUT_MS, Int(min(max(seconds * 1000, 1), 86_400_000)))
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        try check(attest_curl_set_writer(handle, takeBody, context))
        try check(attest_curl_set_progress(handle, lookWhetherOver, context))
    }

    /// Runs the request; libcurl reads the body where it lies, until this returns.
    private func perform(posting body: [UInt8]?) -> CURLcode {
        guard let body else { return curl_easy_perform(handle) }
        return body.withUnsafeBytes { bytes in
            var code = attest_curl_set_long(handle, CURLOPT_POST, 1)
            if code == CURLE_OK {
                code = attest_curl_set_long(handle, CURLOPT_POSTFIELDSIZE, bytes.count)
            }
            if code == CURLE_OK {
                code = attest_curl_set_pointer(handle, CURLOPT_POSTFIELDS, bytes.baseAddress)
            }
            return code == CURLE_OK ? curl_easy_perform(handle) : code
        }
    }

    private func set(_ option: CURLoption, _ value: Int) throws(HTTPFailure) {
        try check(attest_curl_set_long(handle, option, value))
    }

    /// libcurl copies the text.
    private func set(_ option: CURLoption, _ value: String) throws(HTTPFailure) {
        try check(attest_curl_set_text(handle, option, value))
    }

    private func check(_ code: CURLcode) throws(HTTPFailure) {
        guard code == CURLE_OK else { throw failure(code) }
    }

    private func failure(_ code: CURLcode) -> HTTPFailure {
        let kind: HTTPFailure.Kind =
            switch code {
            case CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT,
                CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE,
                CURLE_WEIRD_SERVER_REPLY:
                .unreachable
            case CURLE_OPERATION_TIMEDOUT: .timeout
            case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
                CURLE_SSL_CERTPROBLEM, CURLE_SSL_ISSUER_ERROR:
                .tls
            case CURLE_WRITE_ERROR: .tooLarge
            case CURLE_ABORTED_BY_CALLBACK: .cancelled
            default: .impossible
            }
        return HTTPFailure(
            kind: kind, code: Int(code.rawValue), message: String(cString: curl_easy_strerror(code))
        )
    }

    /// Takes a piece of the body; on the thread of the request.
    fileprivate static func take(_ bytes: UnsafeRawBufferPointer, _ context: UnsafeRawPointer)
        -> Int
    {
        let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        // Another number than was offered ends the request.
        guard bytes.count <= transfer.bytesMax - transfer.body.count else { return 0 }
        transfer.body += bytes
        return bytes.count
    }

    fileprivate static func isOver(_ context: UnsafeRawPointer) -> Bool {
        Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().isCancelled()
    }
}

/// A file-level function: a closure could be isolated to an actor, and die on this thread.
private func takeBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context, let bytes, size * count > 0 else { return 0 }
    return HTTPClient.take(UnsafeRawBufferPointer(start: bytes, count: size * count), context)
}

private func lookWhetherOver(
    _ context: UnsafeMutableRawPointer?, _: curl_off_t, _: curl_off_t, _: curl_off_t,
    _: curl_off_t
) -> Int32 {
    guard let context else { return 0 }
    return HTTPClient.isOver(context) ? 1 : 0
}
