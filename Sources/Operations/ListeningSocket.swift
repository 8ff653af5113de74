internal import Glibc
internal import Worker

/// Owner of a socket that listens, until another takes it over.
struct ListeningSocket: ~Copyable {
    /// The port: that which the system chose, where 0 was asked for.
    let port: UInt16
    private let descriptor: Int32

    /// Binds and listens.
    init(_ wanted: ListenAddress, backlog: Int32) throws(Fault) {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(wanted.host, String(wanted.port), &hints, &found) == 0, let found else {
            throw fault(wanted, .config, "\(wanted.host) is no IPv4 or IPv6 address")
        }
        defer { freeaddrinfo(found) }
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(found.pointee.ai_family, type, 0)
        guard descriptor >= 0 else {
            throw fault(wanted, .software, "a socket can't be made: errno \(errno)")
        }
        // Else a restart would fail for a minute, until the old connections are forgotten.
        var yes: Int32 = 1
        setsockopt(
            descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0,
            listen(descriptor, backlog) == 0, let port = boundPort(of: descriptor)
        else {
            let fault = fault(wanted, errno: errno)
            close(descriptor)
            throw fault
        }
        self.descriptor = descriptor
        self.port = port
    }

    deinit {
        close(descriptor)
    }

    /// Gives the socket away, together with the duty to close it.
    consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }
}

/// The port that a socket is bound to, IPv4 or IPv6.
private func boundPort(of descriptor: Int32) -> UInt16? {
    var address = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let code = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            getsockname(descriptor, $0, &length)
        }
    }
    // The port lies at the same place in both families.
    return code == 0 ? UInt16(bigEndian: address.sin6_port) : nil
}

private func fault(_ address: ListenAddress, errno code: Int32) -> Fault {
    switch code {
    case EADDRINUSE:
        fault(
            address, .unavailable,
            "another process listens there: stop it, or set another address (operations.listen;"
                + " of a gateway gateway.listen)")
    case EADDRNOTAVAIL:
        fault(address, .config, "it is no address of this machine")
    case EACCES:
        fault(address, .noPermission, "this user may not listen there: take a port from 1024 on")
    default:
        fault(address, .software, "the system refuses with errno \(code)")
    }
}

private func fault(_ address: ListenAddress, _ code: ExitCode, _ message: String) -> Fault {
    Fault(
        operation: "listen on \(address)", code: "operations_listen", disposition: .stop(code),
        message: message)
}
