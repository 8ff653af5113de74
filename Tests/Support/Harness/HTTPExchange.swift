internal import Glibc

/// HTTP over a raw socket on loopback, so that requests can also be wrong.
package enum HTTPExchange {
    /// What came back.
    package struct Answer: Hashable, Sendable {
        /// The status; 0 where the connection was closed without a word of HTTP.
        package let status: Int
        /// The headers, names in lower case.
        package let headers: [String: String]
        /// The body as text.
        package let body: String

        /// Takes an answer apart; what is no HTTP is an answer of status 0.
        init(_ bytes: [UInt8]) {
            let text = String(decoding: bytes, as: UTF8.self)
            // One character to Swift: a carriage return and a newline.
            let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
            let words = (lines.first ?? "").split(separator: " ")
            let isHTTP = words.first?.hasPrefix("HTTP/1.") == true
            status = isHTTP && words.count > 1 ? Int(words[1]) ?? 0 : 0
            var headers: [String: String] = [:]
            for line in lines.dropFirst().prefix(while: { !$0.isEmpty }) {
                let parts = line.split(separator: ":", maxSplits: 1)
                headers[parts[0].lowercased()] = parts.last.map { String($0.drop { $0 == " " }) }
            }
            self.headers = headers
            let head = lines.firstIndex(of: "") ?? lines.endIndex
            body = lines[min(head + 1, lines.endIndex)...].joined(separator: "\r\n")
        }
    }

    /// How long an answer may take, in seconds.
    static let patienceSeconds = 20
    /// The most bytes that are read.
    static let answerBytesMax = 16 << 20

    /// Sends bytes as they are and reads until the server closes.
    ///
    /// - Parameters:
    ///   - bytes: the request.
    ///   - address: `127.0.0.1:port`.
    /// - Returns: what came back.
    /// - Throws: ``HarnessFailure`` when there is no connection, or no end.
    package static func send(_ bytes: [UInt8], to address: String) throws -> Answer {
        let descriptor = try connect(to: address)
        defer { close(descriptor) }
        // The server may have answered and closed before it has read all of it.
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        return try receive(from: descriptor, address)
    }

    /// Reads until the server closes.
    package static func receive(from descriptor: Int32, _ address: String) throws -> Answer {
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while answer.count <= answerBytesMax {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count > 0 {
                answer += chunk.prefix(count)
            } else if count == 0 || errno == ECONNRESET {
                return Answer(answer)
            } else if errno != EINTR {
                throw HarnessFailure("no answer from \(address): errno \(errno)")
            }
        }
        throw HarnessFailure("the answer from \(address) has no end")
    }

    /// Asks for a path.
    package static func get(
        _ path: String, from address: String, headers: [String] = [], method: String = "GET"
    ) throws -> Answer {
        let lines = ["\(method) \(path) HTTP/1.1", "Host: test", "Connection: close"] + headers
        return try send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8), to: address)
    }

    /// Connects to `127.0.0.1:port`; the caller closes.
    package static func connect(to address: String) throws -> Int32 {
        guard let colon = address.lastIndex(of: ":"),
            let port = UInt16(address[address.index(after: colon)...])
        else { throw HarnessFailure("\(address) is no address") }
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw HarnessFailure("no socket: errno \(errno)") }
        var patience = timeval(tv_sec: patienceSeconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        place.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let code = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            let failure = HarnessFailure("no connection to \(address): errno \(errno)")
            close(descriptor)
            throw failure
        }
        return descriptor
    }
}

/// The values in a text of metrics.
package struct MetricsText {
    private let lines: [Substring]

    /// Metrics as a worker writes them.
    package init(_ text: String) {
        lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    }

    /// The sum over the series with this name that have all of these labels; nil if there is none.
    package func sum(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        let values = lines.compactMap { line -> Double? in
            let name_ = line.prefix { $0 != "{" && $0 != " " }
            guard name_ == name, let space = line.lastIndex(of: " "),
                labels.allSatisfy({ line.contains("\($0)=\"\($1)\"") })
            else { return nil }
            return Double(line[line.index(after: space)...])
        }
        return values.isEmpty ? nil : values.reduce(0, +)
    }

    /// How many series have this name.
    package func count(_ name: String) -> Int {
        lines.count { $0.prefix { $0 != "{" && $0 != " " } == name }
    }
}

extension ChildProcess {
    /// Where a worker answers HTTP, as its log tells; nil until it does.
    package var operationsAddress: String? {
        for line in errors.split(separator: "\n") where line.contains("\"operations_listening\"") {
            guard let found = line.firstMatch(of: /"address":"([^"]+)"/) else { continue }
            return String(found.output.1)
        }
        return nil
    }

    /// Asks a worker for a path.
    package func http(_ path: String) throws -> HTTPExchange.Answer {
        guard let address = operationsAddress else {
            throw HarnessFailure("no address for HTTP in the log of \(self)")
        }
        return try HTTPExchange.get(path, from: address)
    }

    /// A worker's metrics as they stand.
    package var metrics: MetricsText {
        get throws { MetricsText(try http("/metrics").body) }
    }
}
