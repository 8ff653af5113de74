/// A request that has arrived whole.
package struct ExchangeRequest: Hashable, Sendable {
    /// The method, as it was sent.
    package let method: String
    /// The path without query, percent signs decoded.
    package let path: String
    /// Of the headers that the server was told to keep, those that are there.
    ///
    /// Names are in lower case; several of one name are joined by commas, in order.
    package let headers: [String: String]
    /// The body.
    package let body: [UInt8]
    /// The address of whoever is connected, without a port.
    package let peer: String

    /// A request from its parts.
    package init(
        method: String, path: String, headers: [String: String] = [:], body: [UInt8] = [],
        peer: String = ""
    ) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.peer = peer
    }
}

/// Whoever answers requests, at once or later.
///
/// Called on the server's thread, which serves all connections: it must not wait for anything.
package protocol ExchangeHandler: AnyObject, Sendable {
    /// A request is there; its exchange must be answered sooner or later.
    func handle(_ request: ExchangeRequest, _ exchange: Exchange)

    /// What is answered to a request that is refused before it is whole.
    func refusal(_ flaw: ExchangeFlaw) -> HTTPAnswer
}

/// Why a request is refused before it is whole.
package enum ExchangeFlaw: Hashable, Sendable {
    /// The body is larger than the limit.
    case bodyTooLarge
    /// The path is longer than the limit.
    case pathTooLong
}

/// What bounds an ``ExchangeServer``.
package struct ExchangeLimits: Hashable, Sendable {
    /// Connections at once; more wait until one ends, without an answer.
    package var connectionsMax = 2048
    /// The most bytes of a body.
    package var bodyBytesMax = 64 * 1024
    /// The most bytes of a path.
    package var pathBytesMax = 1024
    /// How long a connection may send nothing while something is to come.
    package var silence: Duration = .seconds(10)
    /// How long a connection may take over one request, be it never silent; and idle between two.
    package var arrival: Duration = .seconds(20)
    /// Bytes for one connection: a request line and headers that don't fit are refused.
    package var headBytesMax = 16 * 1024

    /// The defaults.
    package init() {}
}
