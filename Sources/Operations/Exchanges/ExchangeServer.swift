internal import CMicrohttpd
internal import Glibc
internal import Synchronization
package import Worker

/// An HTTP server whose answers may come later, from other threads.
///
/// One thread serves all connections; those whose request waits for its answer cost a socket and
/// the request, and no thread. Requests are bounded in number, size and time.
package final class ExchangeServer: Sendable {
    /// Connections that the system keeps until they are accepted.
    static let backlogMax: Int32 = 1024

    /// Where it listens, with the port that was chosen where 0 was asked for.
    package let address: ListenAddress
    private let closure: ExchangeClosure
    /// `MHD_Daemon`, owned, as a number; 0 once it is stopped.
    private let daemon: Mutex<UInt>

    /// Binds, and takes requests from then on.
    ///
    /// - Parameters:
    ///   - address: where to listen.
    ///   - limits: what bounds it.
    ///   - headerNames: the headers that the handler wants to see, in lower case.
    ///   - handler: answers.
    /// - Throws: `.stop(.unavailable)` when the address is taken, `.stop(.config)` when it is none
    ///   of this machine's, `.stop(.noPermission)` when this user may not use the port.
    package init(
        address: ListenAddress, limits: ExchangeLimits, headerNames: Set<String>,
        handler: any ExchangeHandler
    ) throws(Fault) {
        let listening = try ListeningSocket(address, backlog: Self.backlogMax)
        self.address = ListenAddress(host: address.host, port: listening.port)
        closure = ExchangeClosure(limits: limits, headerNames: headerNames, handler: handler)
        let descriptor = listening.release()
        func option(_ option: MHD_OPTION, _ value: Int) -> MHD_OptionItem {
            MHD_OptionItem(option: option, value: value, ptr_value: nil)
        }
        var options = [
            option(.LISTEN_SOCKET, Int(descriptor)),
            option(.CONNECTION_LIMIT, limits.connectionsMax),
            option(.CONNECTION_TIMEOUT, Int(max(1, limits.silence.wholeMilliseconds / 1000))),
            option(.CONNECTION_MEMORY_LIMIT, limits.headBytesMax),
            option(.STRICT_FOR_CLIENT, 1),
            option(.END, 0),
        ]
        let flags =
            MHD_USE_INTERNAL_POLLING_THREAD.rawValue | MHD_USE_EPOLL.rawValue
            | MHD_ALLOW_SUSPEND_RESUME.rawValue
        let started = attest_start_exchange_daemon(
            flags, takeExchange, endExchange, noteConnection,
            Unmanaged.passUnretained(closure).toOpaque(), &options)
        guard let started else {
            close(descriptor)
            throw Fault(
                operation: "start the HTTP server", code: "thread_refused",
                disposition: .stop(.software), message: "libmicrohttpd could not start its thread")
        }
        daemon = Mutex(UInt(bitPattern: started))
    }

    deinit {
        stop()
    }

    /// Takes no new connections; those that are there are served on.
    package func stopListening() {
        let address = daemon.withLock { $0 }
        guard let daemon = OpaquePointer(bitPattern: address) else { return }
        let descriptor = MHD_quiesce_daemon(daemon)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Closes all connections.
    ///
    /// Every exchange must have its answer by then. Idempotent.
    package func stop() {
        let address = daemon.withLock { daemon in
            defer { daemon = 0 }
            return daemon
        }
        guard let daemon = OpaquePointer(bitPattern: address) else { return }
        MHD_stop_daemon(daemon)
    }

    /// Ends connections that take too long over one request; to be called about once a second.
    ///
    /// - Returns: how many.
    package func cutSlowConnections() -> Int {
        closure.connections.cut(after: closure.limits.arrival)
    }

    /// How many connections have a request whose answer is not written out yet.
    package var busyCount: Int { closure.connections.busyCount }

    /// How many connections there are.
    package var connectionCount: Int { closure.connections.count }
}

/// What the library's callbacks work with; lives as long as the server.
private final class ExchangeClosure: Sendable {
    let limits: ExchangeLimits
    let headerNames: Set<String>
    let handler: any ExchangeHandler
    let connections = OpenConnections()

    init(limits: ExchangeLimits, headerNames: Set<String>, handler: any ExchangeHandler) {
        self.limits = limits
        self.headerNames = headerNames
        self.handler = handler
    }

    static func of(_ closure: UnsafeMutableRawPointer) -> ExchangeClosure {
        Unmanaged<ExchangeClosure>.fromOpaque(closure).takeUnretainedValue()
    }
}

/// Called by libmicrohttpd on its thread: first with the head, then with each piece of the body,
/// then with none; once more when the connection was woken up.
private func takeExchange(
    _ closure: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ url: UnsafePointer<CChar>?, _ method: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?,
    _ data: UnsafePointer<CChar>?, _ dataCount: UnsafeMutablePointer<Int>?,
    _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let closure, let connection, let url, let method, let dataCount, let context else {
        return .NO
    }
    let server = ExchangeClosure.of(closure)
    let bodyBytesMax = server.limits.bodyBytesMax
    guard let known = context.pointee else {
        context.pointee = Unmanaged.passRetained(Exchange()).toOpaque()
        if strlen(url) > server.limits.pathBytesMax {
            return send(server.handler.refusal(.pathTooLong), on: connection)
        }
        let length = MHD_lookup_connection_value(connection, .HEADER_KIND, "Content-Length")
        if let length, let count = Int(String(cString: length)), count > bodyBytesMax {
            return send(server.handler.refusal(.bodyTooLarge), on: connection)
        }
        return .YES
    }
    let exchange = Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
    if dataCount.pointee > 0, let data {
        let piece = UnsafeRawBufferPointer(start: data, count: dataCount.pointee)
        dataCount.pointee = 0
        return exchange.take(piece, most: bodyBytesMax) ? .YES : .NO
    }
    if let answer = exchange.answer { return send(answer, on: connection) }
    if exchange.isTooLarge(most: bodyBytesMax) {
        return send(server.handler.refusal(.bodyTooLarge), on: connection)
    }
    server.connections.note(connectionID(connection), owesRequest: false)
    let request = ExchangeRequest(
        method: String(cString: method), path: String(cString: url),
        headers: headers(of: connection, server.headerNames), body: exchange.takeBody(),
        peer: peer(of: connection))
    // Asleep before anyone is asked: the answer may come before the asking returns.
    exchange.suspend(connection)
    server.handler.handle(request, exchange)
    return .YES
}

/// Called when a request is over, however it ended.
private func endExchange(
    _ closure: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _: MHD_RequestTerminationCode
) {
    guard let known = context?.pointee else { return }
    context?.pointee = nil
    let exchange = Unmanaged<Exchange>.fromOpaque(known)
    exchange.takeUnretainedValue().end()
    exchange.release()
    guard let closure, let connection else { return }
    ExchangeClosure.of(closure).connections.note(connectionID(connection), owesRequest: true)
}

/// Called when a connection begins and when it is about to be closed.
private func noteConnection(
    _ closure: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ event: MHD_ConnectionNotificationCode
) {
    guard let closure, let connection, let context else { return }
    let connections = ExchangeClosure.of(closure).connections
    if event == .CONNECTION_NOTIFY_STARTED {
        let id = connections.add(attest_connection_socket(connection))
        // A number; it is never followed.
        context.pointee = UnsafeMutableRawPointer(bitPattern: id)
    } else {
        connections.remove(UInt(bitPattern: context.pointee))
    }
}

private func connectionID(_ connection: OpaquePointer) -> UInt {
    UInt(bitPattern: attest_socket_context(connection))
}
