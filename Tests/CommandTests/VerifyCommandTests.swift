import AppAttest
import Foundation
import LibCrypto
import RecordedVectors
import Testing
import Worker

@testable import attest_worker

@Suite struct VerifyCommandTests {
    /// What `verify` prints, as far as it matters here.
    struct PrintedVerdict: Decodable {
        var outcome: String
        var reason: String?
        var type: String
        var appId: String?
    }

    static let vectors: [RecordedVector] = {
        let all = (try? RecordedVectors.all()) ?? []
        return all.filter { $0.kind != .receipt }
    }()

    @Test func `there are recorded vectors`() {
        #expect(Self.vectors.count > 10)
    }

    @Test(arguments: vectors)
    func `a recorded object gets the verdict its file expects`(vector: RecordedVector) throws {
        let test = TestConsole()
        var arguments = [
            "verify", "--app-id", try #require(vector.appID),
            "--environment=\(vector.environment ?? "production")",
        ]
        if let time = vector.validationTime { arguments += ["--at", time] }
        if vector.kind == .assertion {
            arguments += [
                "--public-key", try #require(vector.publicKey).base64EncodedString(),
                "--sign-count", String(vector.previousSignCount ?? 0),
            ]
        }
        let code = AttestWorker.run(
            arguments + ["request.json"],
            console: test.console(files: ["request.json": try message(vector)]))
        #expect(test.errorText == "")
        let printed = try JSONDecoder().decode(
            PrintedVerdict.self, from: Data(test.outputText.utf8))
        #expect(printed.type == (vector.kind == .attestation ? "registration" : "assertion"))
        #expect(printed.outcome == "\(vector.expected.outcome)ed")
        if vector.expected.outcome == "accept" {
            #expect(code == .success)
            #expect(printed.appId == vector.appID)
            #expect(printed.reason == nil)
        } else {
            #expect(code == .negative)
            #expect(printed.reason == vector.expected.reason)
        }
    }

    /// The vector as a message of the plain dialect.
    private func message(_ vector: RecordedVector) throws -> String {
        let publicKey = vector.publicKey.map { SHA256.hash(Array($0)).bytes }
        let keyID = try #require(vector.keyID ?? publicKey.map { Data($0) })
        let object = try #require(vector.attestation ?? vector.assertion)
        let name = vector.kind == .attestation ? "attestation" : "assertion"
        var members = ["\"keyId\": \"\(keyID.base64EncodedString())\""]
        members.append("\"\(name)\": \"\(object.base64EncodedString())\"")
        if let data = vector.challenge ?? vector.clientData,
            vector.clientDataHash.map({ Array($0) }) == SHA256.hash(Array(data)).bytes
        {
            members.append("\"clientData\": \"\(data.base64EncodedString())\"")
        } else {
            let hash = try #require(vector.clientDataHash)
            members.append("\"clientDataHash\": \"\(hash.base64EncodedString())\"")
        }
        return "{\(members.joined(separator: ", "))}"
    }

    /// A recorded attestation of a development build, and the flags that it is accepted with.
    private func attestation() throws -> (message: String, appID: String, time: String) {
        let vector = try RecordedVectors.named("attestation-veehaitch-ios-14.4")
        return (
            try message(vector), try #require(vector.appID), try #require(vector.validationTime)
        )
    }

    @Test(arguments: [[], ["-"]])
    func `standard input is read when no file is named`(operands: [String]) throws {
        let (message, appID, time) = try attestation()
        let test = TestConsole()
        let code = AttestWorker.run(
            ["verify", "--app-id=\(appID)", "--environment=development", "--at=\(time)"] + operands,
            console: test.console(input: message))
        #expect(code == .success)
    }

    @Test func `without an instant it is now`() throws {
        let (message, appID, time) = try attestation()
        let then = try #require(Instant(rfc3339: time)).milliseconds * 1000
        let year: Int64 = 365 * 86_400_000_000
        for (microseconds, reason) in [(then, nil), (then + year, "certificate_expired")] {
            let test = TestConsole()
            _ = AttestWorker.run(
                ["verify", "--app-id=\(appID)", "--environment=development"],
                console: test.console(input: message, microseconds: microseconds))
            let printed = try JSONDecoder().decode(
                PrintedVerdict.self, from: Data(test.outputText.utf8))
            #expect(printed.reason == reason)
        }
    }

    @Test func `without an environment it is production`() throws {
        let (message, appID, time) = try attestation()
        let test = TestConsole()
        let code = AttestWorker.run(
            ["verify", "--app-id=\(appID)", "--at=\(time)"], console: test.console(input: message))
        #expect(code == .negative)
        #expect(test.outputText.contains("\"reason\":\"environment_mismatch\""))
    }

    @Test func `an assertion without its key is bad usage`() throws {
        let vector = try RecordedVectors.named("assertion-veehaitch-ios-14.4")
        let test = TestConsole()
        let code = AttestWorker.run(
            ["verify", "--app-id=\(try #require(vector.appID))"],
            console: test.console(input: try message(vector)))
        #expect(code == .usage)
        #expect(test.errorText.contains("--public-key"))
        #expect(test.outputText == "")
    }

    @Test func `an assertion that names another key than the given one is of an unknown key`()
        throws
    {
        let vector = try RecordedVectors.named("assertion-veehaitch-ios-14.4")
        let own = try #require(vector.publicKey).base64EncodedString()
        let keyID = SHA256.hash(Array(try #require(vector.publicKey))).bytes
        let other = SHA256.hash(keyID).bytes
        let message = try message(vector).replacing(
            Data(keyID).base64EncodedString(), with: Data(other).base64EncodedString())
        let test = TestConsole()
        let code = AttestWorker.run(
            [
                "verify", "--app-id=\(try #require(vector.appID))", "--public-key=\(own)",
                "--sign-count=0", "--environment=\(vector.environment ?? "production")",
            ], console: test.console(input: message))
        #expect(code == .negative)
        #expect(test.outputText.contains("\"reason\":\"unknown_key\""))
    }

    @Test(arguments: ["", "no JSON", "[]", "\u{0}"])
    func `what holds no request is told as such`(text: String) {
        let test = TestConsole()
        let code = AttestWorker.run(
            ["verify", "--app-id=T.b"], console: test.console(input: text))
        #expect(code == .negative)
        #expect(test.outputText == "")
        #expect(test.errorText.contains("["))
    }

    @Test func `a request that breaks the schema gets its verdict`() {
        let test = TestConsole()
        let code = AttestWorker.run(
            ["verify", "--app-id=T.b"],
            console: test.console(
                input: #"{"keyId": 5, "clientData": "AA==", "assertion": "AA=="}"#))
        #expect(code == .negative)
        #expect(test.outputText.contains("\"reason\":\"malformed_message\""))
        #expect(test.errorText == "attest-worker verify: keyId is not a string\n")
    }

    @Test(arguments: [
        [], ["--app-id"], ["--app-id=nodot"], ["--app-id=T.b", "--environment=both"],
        ["--app-id=T.b", "--at=yesterday"], ["--app-id=T.b", "--public-key=AAAA"],
        ["--app-id=T.b", "--sign-count=-1"], ["--app-id=T.b", "--sign-count=1"],
        ["--app-id=T.b", "--nonsense=1"], ["--app-id=T.b", "a.json", "b.json"],
        ["--app-id=T.b", "none.json"], ["--app-id=T.b", "--trust-anchor=none.pem"],
        ["--app-id=T.b", "--trust-anchor=text.pem"], ["--app-id=T.b", "--receipt", "none.ber"],
        ["--app-id=T.b", "--receipt", "text.pem"],
        ["--app-id=T.b", "--receipt", "--receipt-trust-anchor=text.pem"],
    ])
    func `a wrong command line is bad usage`(arguments: [String]) {
        let test = TestConsole()
        let console = test.console(files: ["text.pem": "no certificate"], input: "{}")
        #expect(AttestWorker.run(["verify"] + arguments, console: console) == .usage)
        #expect(test.errorText.hasPrefix("attest-worker verify: "))
        #expect(test.outputText == "")
    }
}
