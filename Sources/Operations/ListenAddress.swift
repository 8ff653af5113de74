/// A host's address and a port.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// An IPv4 or IPv6 address, without brackets.
    package let host: String
    /// 0 lets the system choose.
    package let port: UInt16

    /// An address from its parts.
    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `127.0.0.1:9464` or `[::1]:9464`; nil for other text.
    ///
    /// Whether the host is an address at all is found out when it is used.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self.init(host: String(host), port: port)
    }

    /// As it stands in settings and URLs.
    package var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
