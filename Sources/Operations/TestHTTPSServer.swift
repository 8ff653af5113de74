internal import CMicrohttpd
internal import Glibc
internal import Synchronization
package import Worker

/// A server that speaks HTTPS on loopback, for what stands in for Apple's in tests.
///
/// Each connection has a thread, so an answer may take its time. Not for the open network: it has
/// no limits but the size of a request.
package final class TestHTTPSServer: Sendable {
    /// What was asked.
    package struct Question: Hashable, Sendable {
        /// The method.
        package let method: String
        /// The path.
        package let path: String
        /// The value of `Authorization`.
        package let authorization: String?
        /// The body.
        package let body: [UInt8]
    }

    /// What is answered.
    package struct Reply: Hashable, Sendable {
        /// The status.
        package let status: Int
        /// The body.
        package let body: [UInt8]

        /// An answer from its parts.
        package init(status: Int, body: [UInt8] = []) {
            self.status = status
            self.body = body
        }
    }

    /// Answers; on the thread of the connection, which it may keep waiting.
    package typealias Answer = @Sendable (Question) -> Reply

    /// The most bytes of a body.
    static let bodyBytesMax = 64 << 10

    /// Where it listens.
    package let address: ListenAddress
    private let answer: AnswerBox
    /// The daemon's address as a number; 0 once it is stopped.
    private let daemon: Mutex<UInt>

    /// Listens, and answers from then on.
    ///
    /// - Parameters:
    ///   - address: where to listen; port 0 lets the system choose.
    ///   - certificate: its certificate in PEM, with those above it.
    ///   - key: the private key in PEM.
    ///   - answer: called for each request.
    /// - Throws: what the address or the certificate has against it.
    package init(
        address: ListenAddress, certificate: String, key: String, answer: @escaping Answer
    ) throws(Fault) {
        let listening = try ListeningSocket(address, backlog: 64)
        self.address = ListenAddress(host: address.host, port: listening.port)
        let box = AnswerBox(answer)
        let descriptor = listening.release()
        let flags =
            MHD_USE_THREAD_PER_CONNECTION.rawValue | MHD_USE_INTERNAL_POLLING_THREAD.rawValue
            | MHD_USE_TLS.rawValue
        let started = attest_start_https_daemon(
            flags, takeRequest, dropRequest, Unmanaged.passUnretained(box).toOpaque(),
            certificate, key, descriptor)
        guard let started else {
            close(descriptor)
            throw Fault(
                operation: "start an HTTPS server", code: "https_refused",
                disposition: .stop(.config),
                message: "libmicrohttpd can't use the certificate and its key")
        }
        self.answer = box
        daemon = Mutex(UInt(bitPattern: started))
    }

    deinit {
        stop()
    }

    /// Answers no more; idempotent.
    package func stop() {
        let address = daemon.withLock { daemon in
            defer { daemon = 0 }
            return daemon
        }
        guard let daemon = OpaquePointer(bitPattern: address) else { return }
        MHD_stop_daemon(daemon)
    }
}

/// The closure, as C carries it around; lives as long as the server.
private final class AnswerBox: Sendable {
    let answer: TestHTTPSServer.Answer

    init(_ answer: @escaping TestHTTPSServer.Answer) {
        self.answer = answer
    }
}

/// A request whose body is still coming; owned by libmicrohttpd's request, freed when that is over.
private final class OpenRequest {
    var body: [UInt8] = []
}

/// Called by libmicrohttpd on the connection's thread: at first with the head, then with each piece
/// of the body, then with none.
private func takeRequest(
    _ closure: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ url: UnsafePointer<CChar>?, _ method: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?,
    _ data: UnsafePointer<CChar>?, _ dataCount: UnsafeMutablePointer<Int>?,
    _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let closure, let connection, let url, let method, let context, let dataCount else {
        return .NO
    }
    guard let known = context.pointee else {
        context.pointee = Unmanaged.passRetained(OpenRequest()).toOpaque()
        return .YES
    }
    let request = Unmanaged<OpenRequest>.fromOpaque(known).takeUnretainedValue()
    if dataCount.pointee > 0, let data {
        guard request.body.count + dataCount.pointee <= TestHTTPSServer.bodyBytesMax else {
            return .NO
        }
        request.body += UnsafeRawBufferPointer(start: data, count: dataCount.pointee)
        dataCount.pointee = 0
        return .YES
    }
    let authorization = MHD_lookup_connection_value(connection, .HEADER_KIND, "Authorization")
    let box = Unmanaged<AnswerBox>.fromOpaque(closure).takeUnretainedValue()
    let reply = box.answer(
        TestHTTPSServer.Question(
            method: String(cString: method), path: String(cString: url),
            authorization: authorization.map { String(cString: $0) }, body: request.body))
    var body = reply.body
    guard let response = MHD_create_response_from_buffer(body.count, &body, .RESPMEM_MUST_COPY)
    else { return .NO }
    defer { MHD_destroy_response(response) }
    return MHD_queue_response(connection, UInt32(reply.status), response)
}

/// Called when a request is over, however it ended.
private func dropRequest(
    _: UnsafeMutableRawPointer?, _: OpaquePointer?,
    _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _: MHD_RequestTerminationCode
) {
    guard let known = context?.pointee else { return }
    Unmanaged<OpenRequest>.fromOpaque(known).release()
    context?.pointee = nil
}
