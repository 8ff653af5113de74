internal import Glibc

/// What systemd has on its side of `NOTIFY_SOCKET`: a datagram socket.
package final class NotifySocket: Sendable {
    /// The value for `NOTIFY_SOCKET`: a path, or an abstract name behind an `@`.
    package let address: String
    private let descriptor: Int32

    /// A socket that is bound.
    ///
    /// - Throws: ``HarnessFailure`` when the address can't be had.
    package init(_ address: String) throws {
        self.address = address
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var name = Array(address.utf8)
        if address.hasPrefix("@") { name[0] = 0 } else { unlink(address) }
        var own = sockaddr_un()
        own.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &own.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let bound = withUnsafePointer(to: &own) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length)
            }
        }
        guard bound == 0 else { throw HarnessFailure("bind \(address): errno \(errno)") }
    }

    deinit {
        close(descriptor)
        if !address.hasPrefix("@") { unlink(address) }
    }

    /// The next datagram; nil when none came in time.
    package func receive(withinSeconds seconds: Int) -> String? {
        var patience = timeval(tv_sec: seconds, tv_usec: seconds == 0 ? 1 : 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience,
            socklen_t(MemoryLayout<timeval>.size))
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
    }
}
