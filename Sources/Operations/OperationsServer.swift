internal import CMicrohttpd
internal import Glibc
package import Worker

/// The HTTP endpoints of a process, on a thread of their own.
///
/// What is told is copied from the lanes first and written out then, so that neither a scrape nor a
/// client that reads slowly makes a lane wait. Requests are bounded in number, size and time.
package final class OperationsServer: Sendable {
    /// Connections at once; more are closed as they come.
    static let connectionsMax: UInt32 = 64
    /// Connections at once from one address.
    ///
    /// Fewer than all, so that one client alone can't keep the probes out.
    static let connectionsPerAddressMax: UInt32 = 32
    /// How long a connection may be silent, in seconds.
    static let silenceSecondsMax: UInt32 = 10
    /// Bytes for one connection: a request line and headers that don't fit are refused.
    static let requestBytesMax = 16_384
    /// Bytes of a path.
    static let pathBytesMax = 256
    /// Connections that the system keeps until they are accepted.
    static let backlogMax: Int32 = 64

    /// Where it listens, with the port that was chosen where 0 was asked for.
    package let address: ListenAddress
    private let endpoints: Endpoints
    /// `MHD_Daemon`, owned; stopped once.
    private let daemon: DaemonHandle

    /// Binds, and answers from then on.
    ///
    /// - Parameters:
    ///   - address: where to listen.
    ///   - observer: what is told of.
    /// - Throws: `.stop(.unavailable)` when the address is taken, `.stop(.config)` when it is none
    ///   of this machine's, `.stop(.noPermission)` when this user may not use the port.
    package init(address: ListenAddress, observer: any OperationsSource) throws(Fault) {
        let listening = try ListeningSocket(address, backlog: Self.backlogMax)
        self.address = ListenAddress(host: address.host, port: listening.port)
        endpoints = Endpoints(source: observer)
        daemon = try DaemonHandle(
            listening: listening.release(), endpoints: Unmanaged.passUnretained(endpoints))
    }

    deinit {
        stop()
    }

    /// Answers no more.
    ///
    /// Waits for the answer that is being written; idempotent.
    package func stop() {
        daemon.stop()
    }
}
