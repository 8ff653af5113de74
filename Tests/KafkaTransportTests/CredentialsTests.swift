import Glibc
import Synchronization
import Testing
import Worker

@testable import KafkaTransport

@Suite struct CredentialsTests {
    /// Everyone who is refused by this listener comes again, and so shows the password in force.
    @Test func `connections made after a replacement use the new password`() throws {
        let listener = try SASLListener()
        var settings = KafkaSettings(
            bootstrapServers: "127.0.0.1:\(listener.port)", groupID: "group",
            requestTopics: ["requests"])
        settings.properties = [
            "security.protocol": "sasl_plaintext", "sasl.mechanism": "PLAIN",
            "sasl.username": "me", "sasl.password": "one", "reconnect.backoff.ms": "10",
            "reconnect.backoff.max.ms": "50",
        ]
        let credentials = Live(settings.credentials)
        let sink = try KafkaSink(
            settings: settings, topics: ["verdicts"], credentials: credentials, log: { _ in })
        defer { sink.close(wait: .zero) }
        #expect(listener.waitForToken("\0me\0one", tendingTo: sink))
        credentials.replace(with: SASLCredentials(username: "me", password: "two"))
        #expect(listener.waitForToken("\0me\0two", tendingTo: sink))
        #expect(!"\(SASLCredentials(username: "me", password: "two"))".contains("two"))
    }
}

/// Speaks as much of Kafka as it takes to be told a password, then hangs up.
///
/// Source: Kafka protocol, ApiVersions version 3, SaslHandshake version 0; RFC 4616 for the token.
private final class SASLListener: Sendable {
    let port: UInt16
    private let descriptor: Int32
    private let tokens = Mutex<[String]>([])

    init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (bound, named) = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                (bind(descriptor, $0, length), getsockname(descriptor, $0, &length))
            }
        }
        try #require(bound == 0 && named == 0 && listen(descriptor, 16) == 0)
        port = UInt16(bigEndian: address.sin_port)
        var thread = pthread_t()
        try #require(
            pthread_create(&thread, nil, serve, Unmanaged.passRetained(self).toOpaque()) == 0)
        pthread_detach(thread)
    }

    func waitForToken(_ token: String, tendingTo sink: KafkaSink) -> Bool {
        for _ in 0..<600 {
            _ = try? sink.reports(wait: .milliseconds(50))
            if tokens.withLock({ $0.contains(token) }) { return true }
        }
        return false
    }

    /// Takes connections until the process ends.
    fileprivate func run() {
        while true {
            let connection = accept(descriptor, nil, nil)
            guard connection >= 0 else { return }
            defer { close(connection) }
            guard answer(connection, apiKey: 18, Self.versions),
                answer(connection, apiKey: 17, [0, 0] + [0, 0, 0, 1, 0, 5] + Array("PLAIN".utf8)),
                let token = frame(connection)
            else { continue }
            tokens.withLock { $0.append(String(decoding: token, as: UTF8.self)) }
        }
    }

    /// ApiVersions 3: no error; SaslHandshake 0, ApiVersions to 3, Metadata to 2; no throttle.
    private static let versions: [UInt8] =
        [0, 0, 4] + [0, 17, 0, 0, 0, 0, 0] + [0, 18, 0, 0, 0, 3, 0] + [0, 3, 0, 0, 0, 2, 0]
        + [0, 0, 0, 0, 0]

    /// Answers the next request, if it is of this kind: api key, version, correlation id, more.
    private func answer(_ connection: Int32, apiKey: UInt8, _ body: [UInt8]) -> Bool {
        guard let request = frame(connection), request.count >= 8, request[1] == apiKey else {
            return false
        }
        let answer = Array(request[4..<8]) + body
        let bytes = [0, 0, 0, UInt8(answer.count)] + answer
        return write(connection, bytes, bytes.count) == bytes.count
    }

    private func frame(_ connection: Int32) -> [UInt8]? {
        guard let size = bytes(connection, 4) else { return nil }
        let count = size.reduce(0) { $0 << 8 | Int($1) }
        return count > 0 && count < 65_536 ? bytes(connection, count) : nil
    }

    private func bytes(_ connection: Int32, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let got = recv(connection, &bytes, count, Int32(MSG_WAITALL))
        return got == count ? bytes : nil
    }
}

private func serve(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<SASLListener>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
