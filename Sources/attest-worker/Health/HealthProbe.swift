import Glibc
import Operations
import Worker

/// One GET of a worker's own endpoint.
///
/// A client for these few answers alone, on loopback, of a server that is ours: no redirects, no
/// TLS, no transfer codings.
struct HealthProbe {
    /// What was answered.
    struct Answer: Hashable {
        /// The HTTP status.
        let status: Int
        /// The text.
        let body: String
    }

    /// How long connecting and each read may take, and so what a probe may wait for at most twice.
    static let patience: Duration = .seconds(2)
    /// The most that is read of an answer; a status page is a few kilobytes.
    private static let answerBytesMax = 65_536

    /// Who is asked.
    let address: ListenAddress

    /// A probe of whoever listens at an address: of one that stands for all, on loopback.
    init(listen: ListenAddress) {
        let host =
            switch listen.host {
            case "0.0.0.0": "127.0.0.1"
            case "::": "::1"
            default: listen.host
            }
        address = ListenAddress(host: host, port: listen.port)
    }

    /// Asks for a path.
    ///
    /// - Throws: `.retry`: nobody answers, or what answers is no such server.
    func get(_ path: String) throws(Fault) -> Answer {
        let descriptor = try connected()
        defer { close(descriptor) }
        let request = Array(
            "GET \(path) HTTP/1.1\r\nHost: \(address)\r\nConnection: close\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw fault("the request can't be sent (errno \(errno))")
        }
        guard let answer = Self.parse(try readAll(descriptor)) else {
            throw fault("what answers there does not speak HTTP")
        }
        return answer
    }

    private func connected() throws(Fault) -> Int32 {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address.host, String(address.port), &hints, &found) == 0, let found
        else { throw fault("it is no IPv4 or IPv6 address") }
        defer { freeaddrinfo(found) }
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(found.pointee.ai_family, type, 0)
        guard descriptor >= 0 else { throw fault("a socket can't be made (errno \(errno))") }
        var patience = timeval(tv_sec: Int(Self.patience.wholeMilliseconds / 1000), tv_usec: 0)
        // connect(2) keeps to the limit for sending.
        for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
            setsockopt(
                descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        guard connect(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0 else {
            let code = errno
            close(descriptor)
            throw fault(
                code == ECONNREFUSED
                    ? "nobody listens there: does a worker with these settings run?"
                    : "connecting failed (errno \(code))")
        }
        return descriptor
    }

    /// Reads to the end, as far as the limits let it.
    private func readAll(_ descriptor: Int32) throws(Fault) -> [UInt8] {
        let deadline = ContinuousClock.now + Self.patience
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count < Self.answerBytesMax {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count == 0 { break }
            if count < 0, errno == EINTR { continue }
            guard count > 0, ContinuousClock.now < deadline else {
                throw fault("no answer came in time")
            }
            bytes += chunk.prefix(count)
        }
        return bytes
    }

    /// Status and body; nil for what is no answer of HTTP/1.
    static func parse(_ bytes: [UInt8]) -> Answer? {
        let end = Array("\r\n\r\n".utf8)
        guard let blank = bytes.firstRange(of: end) else { return nil }
        let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].utf8.count == 3,
            words[1].utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            let status = Int(words[1])
        else { return nil }
        return Answer(
            status: status, body: String(decoding: bytes[blank.upperBound...], as: UTF8.self))
    }

    private func fault(_ message: String) -> Fault {
        Fault(
            operation: "ask \(address)", code: "health_unreachable", disposition: .retry,
            message: message)
    }
}
