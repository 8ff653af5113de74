package import Foundation

/// `server.py`: an HTTP server that answers as it is told and keeps what it got.
package final class TestHTTPServer {
    /// How requests are answered.
    package enum Mode: String, Sendable {
        case take
        case refuse
        case malformed
        case reject
        case slow
        case hangUp = "hang-up"
        case large
        case redirect
    }

    /// A request that it got.
    package struct Received: Decodable, Sendable {
        package let method: String
        package let path: String
        package let mode: String
        package let headers: [String: String]
        package let body: String
        package let clientPort: Int
    }

    /// It did not start.
    package struct Failure: Error {}

    /// Where it listens, on 127.0.0.1.
    package let port: Int
    /// What it has written down.
    package let folder: URL
    private let process = Process()
    private let input = Pipe()

    /// Starts it.
    ///
    /// - Parameters:
    ///   - mode: how it answers first.
    ///   - identity: the paths of certificate and key in PEM, if it shall speak TLS.
    /// - Throws: ``Failure`` if it tells no port.
    package init(_ mode: Mode, identity: (certificate: String, key: String)? = nil) throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "attest-http-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(mode.rawValue.utf8).write(to: folder.appending(path: "mode"))
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "server.py")
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments =
            [script.path(), folder.path()] + (identity.map { [$0.certificate, $0.key] } ?? [])
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        // The line with the port; the stream stays open behind it.
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.prefix { $0 != "\n" }) else { throw Failure() }
        self.port = port
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Answers in another way from now on.
    package func answer(_ mode: Mode) throws {
        try Data(mode.rawValue.utf8).write(to: folder.appending(path: "mode"), options: .atomic)
    }

    /// All requests so far, in order.
    package func requests() throws -> [Received] {
        let file = folder.appending(path: "requests.jsonl")
        guard FileManager.default.fileExists(atPath: file.path()) else { return [] }
        // A line may be half written.
        return try Data(contentsOf: file).split(separator: 0x0A, omittingEmptySubsequences: false)
            .dropLast().map { try JSONDecoder().decode(Received.self, from: $0) }
    }

    /// Ends it: nobody listens on its port any more.
    package func stop() {
        guard process.isRunning else { return }
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
