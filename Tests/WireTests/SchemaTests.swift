import AppAttest
import AttestTestKit
import Foundation
import Testing
import Wire

/// The schemas against the code: what the code takes fits, what it refuses for its structure does
/// not, what it makes fits and is declared.
///
/// One run of `schemas/check.py` judges all of it, since starting it costs more than the work.
@Suite struct SchemaTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let schemas = root.appending(path: "schemas")

    /// Blocks a thread for about a second.
    @Test func `the schemas agree with the code on every message of the tests`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "attest-worker-messages-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var writer = try MessageWriter(folder: folder)
        try writer.writeRequests()
        try writer.writeMintedRequests()
        try writer.writeVerdicts()
        try writer.writeDeadLetters()
        try writer.writeRiskChanges()
        #expect(writer.written > 250)

        let check = try Self.check(folder)
        #expect(check.status == 0, "\(check.output)")
    }

    /// Blocks a thread for about a second.
    @Test func `a message that no schema is found for is a complaint`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "attest-worker-unnamed-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let names = ["request.mine.json", "valid/mine.json", "right/request.mine.json"]
        for name in names {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("{}".utf8).write(to: file)
        }
        let check = try Self.check(folder)
        #expect(check.status == 1)
        for name in names {
            #expect(check.output.contains("/\(name): is not named <must>/<schema>.<any>.json"))
        }
        let nothing = try Self.check(folder.appending(path: "nothing"))
        #expect(nothing.status == 1)
        #expect(nothing.output.contains("nothing: holds no message"))
    }

    /// Runs `schemas/check.py` over a folder.
    private static func check(_ folder: URL) throws -> (status: Int32, output: String) {
        let check = Process()
        let output = Pipe()
        // Debian's own Python: another one on the path may lack the validator.
        check.executableURL = URL(filePath: "/usr/bin/python3")
        check.arguments = [schemas.appending(path: "check.py").path, folder.path]
        check.standardOutput = output
        check.standardError = output
        try check.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        check.waitUntilExit()
        return (check.terminationStatus, String(decoding: text, as: UTF8.self))
    }

    @Test func `the list of reasons is the same in schema, README and code`() throws {
        let codes = Reason.all.map(\.code)
        let schema = try JSONDecoder().decode(
            VerdictSchema.self,
            from: Data(contentsOf: Self.schemas.appending(path: "verdict.schema.json")))
        #expect(schema.properties.reason.enum == codes)

        let readme = try String(
            contentsOf: Self.schemas.appending(path: "README.md"), encoding: .utf8)
        let rows = readme.split(separator: "\n").filter { $0.hasPrefix("| `") }
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
        for reason in Reason.all {
            let matching = rows.filter { $0.first == "`\(reason.code)`" }
            #expect(matching.count == 1, "\(reason.code)")
            #expect(
                matching.first?.dropFirst().first == (reason.isRetryable ? "yes" : "no"),
                "\(reason.code)")
        }
    }

    @Test func `every example of a request is one`() throws {
        let examples = try FileManager.default.contentsOfDirectory(
            at: Self.schemas.appending(path: "examples"), includingPropertiesForKeys: nil)
        let requests = examples.filter {
            $0.lastPathComponent.hasPrefix("request.")
                || $0.lastPathComponent.hasPrefix("request-event.")
        }
        #expect(requests.count >= 6)
        for file in requests {
            let isEvent = file.lastPathComponent.hasPrefix("request-event.")
            let decoded = RequestMessage.decode(
                value: Array(try Data(contentsOf: file)),
                headers: isEvent ? Structured.headers : [],
                limits: MessageLimits())
            switch decoded {
            case .request, .service: continue
            case .unjudgeable, .unreadable:
                Issue.record("\(file.lastPathComponent) became \(decoded)")
            }
        }
    }
}

/// As much of the verdict's schema as the test reads.
private struct VerdictSchema: Decodable {
    struct Properties: Decodable {
        let reason: Values
    }

    struct Values: Decodable {
        let `enum`: [String]
    }

    let properties: Properties
}

/// Writes messages as `schemas/check.py` wants them.
private struct MessageWriter {
    private let folder: URL
    private(set) var written = 0

    init(folder: URL) throws {
        self.folder = folder
        for must in ["valid", "invalid", "made"] {
            try FileManager.default.createDirectory(
                at: folder.appending(path: must), withIntermediateDirectories: true)
        }
    }

    mutating func writeRequests() throws {
        for message in AcceptedMessages.all + RefusedMessages.all + UnreadableMessages.all {
            guard let value = message.value else { continue }
            let schema = message.isStructured ? "request-event" : "request"
            switch message.schema {
            case .valid:
                try write(value, must: "valid", schema: schema)
                try write(headers: message.headers, must: "valid", schema: "request-headers")
            case .invalid: try write(value, must: "invalid", schema: schema)
            case .silent: break
            }
        }
    }

    /// What the test kit's devices send.
    mutating func writeMintedRequests() throws {
        let instant = Instant(seconds: 1_790_000_000)
        var device = SimulatedDevice(
            seed: 7, appID: "TEAM.com.example.app", shape: .iOS27,
            authority: TestAuthority(seed: 1))
        let hash = ClientDataHash(hashing: [1])
        let registrations: [RegistrationContent] = [
            .capgo(challenge: "c"), .plain(clientData: [1]), .plainHash(hash),
            .appCheck(challenge: [1]),
        ]
        for content in registrations {
            let attestation = device.attest(clientDataHash: content.clientDataHash, at: instant)
            let message = MintedRequest(registration: attestation, content, requestID: "r-1")
            try write(message.json, must: "valid", schema: "request")
        }
        let assertions: [(AssertionContent, must: String)] = [
            (.capgo(payload: "p"), "valid"), (.plain(clientData: [1]), "valid"),
            (.plainHash(hash), "valid"), (.appCheck(artifact: [1], challenge: [2]), "invalid"),
            (.appCheck(artifact: Sample.artifact, challenge: [2]), "valid"),
        ]
        for (content, must) in assertions {
            let assertion = device.assert(clientDataHash: content.clientDataHash)
            let message = MintedRequest(assertion: assertion, content, subject: "s", appID: "a")
            try write(message.json, must: must, schema: "request")
        }
    }

    mutating func writeVerdicts() throws {
        for verdict in VerdictSamples.all {
            let headers = [
                Header(
                    name: "traceparent",
                    text: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
                Header(name: "tracestate", text: "a=b"), Header(name: "baggage", text: "a=b"),
                Header(name: "ce_correlationid", text: "flow-1"),
            ]
            let record = VerdictMessage.record(
                verdict: verdict.encode(), verdictID: verdict.verdictID, keyID: verdict.keyID,
                requestHeaders: headers,
                trace: RequestTrace(headers: headers, value: nil, limits: MessageLimits()),
                isRedelivered: verdict.kind == .registration, consumerGroup: "a group/1")
            try write(record.value, must: "made", schema: "verdict")
            try write(headers: record.headers, must: "made", schema: "verdict-headers")
        }
    }

    mutating func writeRiskChanges() throws {
        for previous in [nil, UInt32.max] {
            let change = RiskChange(
                keyID: Sample.keyID, appID: "TEAMID1234.com.example.app",
                environment: .production, subject: previous == nil ? nil : "user-42", metric: 7,
                previousMetric: previous, asOf: Instant(milliseconds: 1_790_000_000_999))
            try write(change.encode(), must: "made", schema: "risk")
            try write(
                headers: change.headers(consumerGroup: "a group/1"), must: "made",
                schema: "risk-headers")
        }
    }

    mutating func writeDeadLetters() throws {
        for record in UnreadableRecord.allCases {
            for isWhole in [false, true] {
                let letter = DeadLetter(
                    key: nil, value: nil, headers: [],
                    origin: DeadLetter.Origin(
                        place: VerdictSamples.place, timestampMilliseconds: isWhole ? -1 : nil,
                        consumerGroup: "attest-worker", attempts: isWhole ? 2 : nil),
                    cause: isWhole
                        ? .init(stage: .store, code: "22021", message: "x", sqlState: "22021")
                        : .init(record),
                    failedAt: isWhole ? "2026-11-30T15:00:00Z" : nil,
                    workerVersion: isWhole ? "0.1.0" : nil, workerID: isWhole ? "w-1" : nil)
                try write(headers: letter.headers, must: "made", schema: "dead-letter-headers")
            }
        }
    }

    private mutating func write(headers: [Header], must: String, schema: String) throws {
        var object: [String: String] = [:]
        for header in headers {
            object[header.name] = header.value.map { String(decoding: $0, as: UTF8.self) }
        }
        try write(Array(try JSONEncoder().encode(object)), must: must, schema: schema)
    }

    private mutating func write(_ value: [UInt8], must: String, schema: String) throws {
        written += 1
        try Data(value).write(to: folder.appending(path: "\(must)/\(schema).\(written).json"))
    }
}
