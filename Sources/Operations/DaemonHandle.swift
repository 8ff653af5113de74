internal import CMicrohttpd
internal import Glibc
internal import Synchronization
internal import Worker

/// Owner of an `MHD_Daemon`, its thread and its socket.
final class DaemonHandle: Sendable {
    /// The daemon's address as a number; 0 once it is stopped.
    private let daemon: Mutex<UInt>

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - listening: a listening socket, which is the daemon's from here on.
    ///   - endpoints: what answers; must outlive this.
    /// - Throws: `.stop(.software)` when there can be no thread.
    init(listening: Int32, endpoints: Unmanaged<Endpoints>) throws(Fault) {
        func option(_ option: MHD_OPTION, _ value: Int) -> MHD_OptionItem {
            MHD_OptionItem(option: option, value: value, ptr_value: nil)
        }
        var options = [
            option(.LISTEN_SOCKET, Int(listening)),
            option(.CONNECTION_LIMIT, Int(OperationsServer.connectionsMax)),
            option(
                .PER_IP_CONNECTION_LIMIT, Int(OperationsServer.connectionsPerAddressMax)),
            option(.CONNECTION_TIMEOUT, Int(OperationsServer.silenceSecondsMax)),
            option(.CONNECTION_MEMORY_LIMIT, OperationsServer.requestBytesMax),
            option(.STRICT_FOR_CLIENT, 1),
            option(.END, 0),
        ]
        let flags = MHD_USE_INTERNAL_POLLING_THREAD.rawValue | MHD_USE_POLL.rawValue
        let started = attest_start_daemon(flags, answerRequest, endpoints.toOpaque(), &options)
        guard let started else {
            close(listening)
            throw Fault(
                operation: "start the HTTP endpoints", code: "thread_refused",
                disposition: .stop(.software), message: "libmicrohttpd could not start its thread")
        }
        daemon = Mutex(UInt(bitPattern: started))
    }

    deinit {
        stop()
    }

    /// Ends the thread and closes the socket.
    ///
    /// Idempotent.
    func stop() {
        let address = daemon.withLock { daemon in
            defer { daemon = 0 }
            return daemon
        }
        guard let daemon = OpaquePointer(bitPattern: address) else { return }
        MHD_stop_daemon(daemon)
    }
}

/// Called by libmicrohttpd on its thread: first with the request's head, then once more.
///
/// An answer to the first call would cut off the rest of the request; only what is refused gets it.
private func answerRequest(
    _ closure: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ url: UnsafePointer<CChar>?, _ method: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?,
    _: UnsafePointer<CChar>?, _: UnsafeMutablePointer<Int>?,
    _ isKnown: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let closure, let connection, let url, let method, let isKnown else { return .NO }
    let method_ = String(cString: method)
    if isKnown.pointee == nil, method_ == "GET" || method_ == "HEAD" {
        // Any pointer that is not null tells the second call from the first; it is never followed.
        isKnown.pointee = closure
        return .YES
    }
    let accept = MHD_lookup_connection_value(connection, .HEADER_KIND, "Accept")
    let endpoints = Unmanaged<Endpoints>.fromOpaque(closure).takeUnretainedValue()
    let answer = endpoints.answer(
        method: method_, path: String(cString: url), accept: accept.map { String(cString: $0) })
    return send(answer, on: connection)
}
