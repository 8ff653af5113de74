internal import Glibc

/// The sockets of this process that listen on given ports of 127.0.0.1.
enum ListeningSockets {
    /// How many file descriptors are looked at: a broker's are among a process's first.
    private static let descriptorsMax: Int32 = 4096

    /// Has connections that come in from now on send each answer at once.
    ///
    /// The mock brokers answer a client's requests one by one, and hold an answer back until the
    /// one before is acknowledged, which costs 40 ms each time (RFC 1122, 4.2.3.4). Kafka's
    /// brokers don't. On Linux a connection inherits the option of the socket it came in by.
    static func answerAtOnce(onPorts ports: Set<UInt16>) {
        for descriptor in 0..<descriptorsMax {
            guard isListening(descriptor), let port = port(of: descriptor), ports.contains(port)
            else { continue }
            var isOn: Int32 = 1
            _ = setsockopt(
                descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn,
                socklen_t(MemoryLayout<Int32>.size))
        }
    }

    private static func isListening(_ descriptor: Int32) -> Bool {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) == 0 && value != 0
    }

    private static func port(of descriptor: Int32) -> UInt16? {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &size)
            }
        }
        guard code == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
        return UInt16(bigEndian: address.sin_port)
    }
}
