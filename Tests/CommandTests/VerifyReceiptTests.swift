import AppAttest
import Foundation
import RecordedVectors
import Testing
import Worker

@testable import attest_worker

/// `verify --receipt` on the recorded receipts.
@Suite struct VerifyReceiptTests {
    private struct Printed: Decodable {
        var outcome: String
        var reason: String?
        var type: String?
        var appId: String?
        var riskMetric: Int?
    }

    /// What the command ends with and prints of a file.
    private func verify(
        _ vector: RecordedVector, _ file: String, _ further: [String] = []
    ) throws -> (ExitCode, Printed) {
        let test = TestConsole()
        let code = AttestWorker.run(
            [
                "verify", "--receipt", "--app-id", try #require(vector.appID),
                "--environment=\(vector.environment ?? "production")",
                "--at", try #require(vector.validationTime),
            ] + further + ["file"], console: test.console(files: ["file": file]))
        #expect(test.errorText == "")
        return (code, try JSONDecoder().decode(Printed.self, from: Data(test.outputText.utf8)))
    }

    @Test(arguments: try RecordedVectors.all(.receipt))
    func `a recorded receipt in base64 gets the answer its file expects`(
        vector: RecordedVector
    ) throws {
        let text = try #require(vector.receipt).base64EncodedString(
            options: [.lineLength64Characters])
        let key = try #require(vector.publicKey).base64EncodedString()
        let (code, printed) = try verify(vector, text, ["--public-key", key])
        #expect(printed.outcome == "\(vector.expected.outcome)ed")
        #expect(printed.reason == vector.expected.reason)
        #expect(code == (vector.expected.outcome == "accept" ? .success : .negative))
        if code == .success {
            #expect(printed.type == vector.receiptType)
            #expect(printed.appId == vector.appID)
            #expect(printed.riskMetric.map(String.init) == vector.riskMetric)
        }
    }

    private func message(_ vector: RecordedVector) throws -> String {
        let parts = [
            ("keyId", try #require(vector.keyID)),
            ("attestation", try #require(vector.attestation)),
            ("clientDataHash", try #require(vector.clientDataHash)),
        ].map { "\"\($0)\": \"\($1.base64EncodedString())\"" }
        return "{\(parts.joined(separator: ", "))}"
    }

    @Test(
        arguments: [
            ("attestation-veehaitch-ios-14.4", nil),
            ("attestation-apple-guide-2026-ios-27-production", nil),
            ("attestation-veehaitch-2020-09-16", "receipt_signature"),
            ("refuse-att-veehaitch-ios-14.4-other-challenge", "nonce_mismatch"),
        ] as [(String, String?)])
    func `the receipt of a request is judged once its attestation holds`(
        name: String, reason: String?
    ) throws {
        let vector = try RecordedVectors.named(name)
        let (code, printed) = try verify(vector, try message(vector))
        #expect(printed.reason == reason)
        #expect(code == (reason == nil ? .success : .negative))
        if reason == nil { #expect(printed.type == "ATTEST") }
    }

    @Test(arguments: [
        ("no receipt", "is no receipt"), ("{}", "no request that can be judged"),
        (#"{"keyId":"AAAA"}"#, "no request that can be judged"),
    ])
    func `what holds no receipt is told as such`(text: String, told: String) throws {
        let vector = try RecordedVectors.named("receipt-veehaitch-ios-14.4-2-receipt")
        let key = try #require(vector.publicKey).base64EncodedString()
        let test = TestConsole()
        let code = AttestWorker.run(
            ["verify", "--receipt", "--app-id=T.b", "--public-key", key],
            console: test.console(input: text))
        #expect(code == .negative)
        #expect(test.outputText == "")
        #expect(test.errorText.contains(told))
    }
}
