import AppAttest
import AttestTestKit
import Testing
import Wire
import Worker

/// App Check's contract: a registration is answered with an artifact, an assertion has it.
@Suite struct ArtifactRuleTests {
    private var pure = PureDecision()
    private let challenge: [UInt8] = [7, 7, 7]

    init() {
        pure.artifacts = ArtifactPolicy(
            secrets: ChallengeSamples.ring("new", "old"), lifetime: .seconds(86_400))
    }

    private func register(_ device: SimulatedDevice) throws -> ReceivedVerdict {
        let content = RegistrationContent.appCheck(challenge: challenge)
        let minted = device.attest(clientDataHash: content.clientDataHash, at: Scenario.now)
        var scenario = Scenario()
        scenario.append(MintedRequest(registration: minted, content).json, partition: 0)
        return try pure.verdict(scenario)
    }

    private func assert(
        _ device: SimulatedDevice, _ artifact: [UInt8], signing signed: [UInt8]? = nil
    ) throws -> ReceivedVerdict {
        var device = device
        var pure = pure
        pure.keys = [device.keyID: StoredKey(of: device)]
        let minted = device.assert(
            clientDataHash: ClientDataHash(hashing: signed ?? artifact + challenge))
        let json =
            #"{"artifact":"\#(Base64.encode(artifact))","#
            + #""assertion":"\#(Base64.encode(minted.object))","#
            + #""challenge":"\#(Base64.encode(challenge))"}"#
        var scenario = Scenario()
        scenario.append(Array(json.utf8), partition: 0)
        return try pure.verdict(scenario)
    }

    private func artifact(
        of device: SimulatedDevice, appID: String = Scenario.appID, age milliseconds: Int64 = 0,
        by secret: String = "new"
    ) -> [UInt8] {
        Artifact(
            keyID: device.keyID, appID: appID,
            issued: Instant(milliseconds: Scenario.now.milliseconds - milliseconds),
            secrets: ChallengeSamples.ring(secret)
        ).bytes
    }

    @Test func `what a registration is answered with serves its assertions`() throws {
        let device = Scenario.device(320)
        let registered = try register(device)
        #expect(registered.outcome == "accepted")
        let artifact = try #require(registered.artifact.flatMap { Base64.decode($0) })
        #expect(Artifact.claimedKeyID(in: artifact) == device.keyID)
        #expect(try register(device).artifact == registered.artifact)
        let asserted = try assert(device, artifact)
        #expect(asserted.outcome == "accepted")
        #expect(asserted.keyId == device.keyID.text)
        #expect(asserted.artifact == nil)
    }

    @Test func `the signature is over the artifact, then the challenge`() throws {
        let device = Scenario.device(321)
        let artifact = artifact(of: device)
        for signed in [challenge, challenge + artifact, artifact] {
            #expect(try assert(device, artifact, signing: signed).reason == "signature_invalid")
        }
    }

    @Test func `a forged, altered, foreign or expired one is refused`() throws {
        let device = Scenario.device(322)
        var altered = artifact(of: device)
        altered[40] ^= 1
        let day: Int64 = 86_400_000
        for (artifact, reason) in [
            (artifact(of: device, by: "old"), nil), (artifact(of: device, age: day - 1), nil),
            (artifact(of: device, by: "other"), "artifact_invalid"),
            (altered, "artifact_invalid"),
            (artifact(of: device, appID: "1234567890.com.example.b"), "artifact_wrong_app"),
            (artifact(of: device, age: day), "artifact_expired"),
            (artifact(of: Scenario.device(323)), "unknown_key"),
        ] as [([UInt8], String?)] {
            let verdict = try assert(device, artifact)
            #expect(verdict.reason == reason)
            #expect(verdict.action == (reason?.hasPrefix("artifact") == true ? "reattest" : nil))
        }
    }

    @Test func `without a secret there are none`() throws {
        var without = self
        without.pure.artifacts = nil
        let device = Scenario.device(324)
        #expect(try without.register(device).artifact == nil)
        let refused = try without.assert(device, artifact(of: device))
        #expect(refused.reason == "not_configured")
    }

    @Test func `other dialects get none`() throws {
        let device = Scenario.device(325)
        var scenario = Scenario()
        scenario.register(device, partition: 0)
        let verdict = try pure.verdict(scenario)
        #expect(verdict.outcome == "accepted")
        #expect(verdict.artifact == nil)
    }
}
