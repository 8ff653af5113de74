import AppAttest
import AttestTestKit
import FoundationEssentials
import Testing
import Wire
import Worker

@testable import attest_worker

/// The simulated phone for curl.
@Suite struct DeviceCommandTests {
    private static let now: Int64 = 1_790_000_000_000_000
    private static let challenge = Base64.encode(Array("a challenge".utf8))

    private struct NoRequest: Error {}

    private func run(_ arguments: [String]) -> (console: TestConsole, code: Int32) {
        let console = TestConsole()
        let code = DeviceCommand.command.execute(
            arguments, console.console(files: [:], microseconds: Self.now))
        return (console, code.rawValue)
    }

    private func request(_ arguments: [String], _ form: ClientMessage.Form) throws -> Request {
        let (console, code) = run(arguments)
        #expect(code == 0, "\(console.errorText)")
        let body = Array(console.outputText.utf8)
        let id = try #require(RequestID("r"))
        let value = try ClientMessage(body, form: form).recordValue(
            requestID: id, appID: nil, takesSubject: false)
        let decoded = RequestMessage.decode(value: value, headers: [], limits: MessageLimits())
        guard case .request(let request) = decoded else {
            Issue.record("\(decoded)")
            throw NoRequest()
        }
        return request
    }

    @Test func `its attestation is genuine for whoever trusts its root`() throws {
        let (root, code) = run(["root"])
        #expect(code == 0)
        let anchor = try #require(TrustAnchor(pem: root.outputText))
        let arguments = ["attestation", "--challenge=\(Self.challenge)", "--limited-use"]
        let request = try request(arguments, .attestation)
        #expect(request.isForLimitedUse)
        let party = RelyingParty(
            appID: EmbeddedRun.appID, environments: [.production], trustAnchor: anchor)
        var intermediates = VerifiedIntermediates()
        let verified = try AttestationVerifier(relyingParties: [party]).verify(
            request.object, keyID: request.keyID, clientDataHash: request.clientDataHash,
            at: Instant(milliseconds: Self.now / 1000), intermediates: &intermediates)
        #expect(verified.keyID == request.keyID)
        // The same flags make the same phone, others another.
        #expect(try self.request(arguments, .attestation).keyID == request.keyID)
        let other = try self.request(arguments + ["--phone=2"], .attestation)
        #expect(other.keyID != request.keyID)
    }

    @Test(
        arguments: [
            [], ["call"], ["attestation"], ["attestation", "--challenge=?"],
            ["attestation", "--challenge=AQ==", "--app=nonsense"],
            ["attestation", "--challenge=AQ==", "--unknown"],
            ["assertion", "--challenge=AQ==", "--count=1"],
            ["assertion", "--challenge=AQ==", "--artifact=AQ=="],
            ["assertion", "--challenge=AQ==", "--artifact=AQ==", "--count=0"],
        ])
    func `a wrong line is told`(arguments: [String]) {
        let (console, code) = run(arguments)
        #expect(code == 64 && console.errorText.contains("attest-worker device: "))
        #expect(console.outputText.isEmpty)
    }
}
