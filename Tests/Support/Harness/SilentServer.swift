internal import Glibc

/// A port of loopback that takes connections and never says a word.
package final class SilentServer: Sendable {
    /// Where it listens.
    package let port: UInt16
    private let descriptor: Int32

    /// Starts to listen: the system accepts, and nobody reads.
    ///
    /// - Throws: ``HarnessFailure`` when there is no port.
    package init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw HarnessFailure("no socket: errno \(errno)") }
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
            }
        }
        guard code == 0, listen(descriptor, 16) == 0 else {
            close(descriptor)
            throw HarnessFailure("no port to listen on: errno \(errno)")
        }
        self.descriptor = descriptor
        port = UInt16(bigEndian: place.sin_port)
    }

    deinit {
        close(descriptor)
    }
}
