import AppAttest
import AttestTestKit
import Harness

/// A device whose requests a test sends one by one, as a gateway would.
struct Phone {
    private var device: SimulatedDevice
    private var last: (assertion: MintedAssertion, content: AssertionContent)?

    /// The app that ``Load/app(_:)`` configures.
    init(seed: UInt64, authority: TestAuthority) {
        device = SimulatedDevice(seed: seed, appID: Load.appID, authority: authority)
    }

    /// Registers the key.
    func registration(_ requestID: String) -> SentRecord {
        let content = RegistrationContent.plain(clientData: Array(requestID.utf8))
        let attestation = device.attest(clientDataHash: content.clientDataHash, at: .now)
        return record(MintedRequest(registration: attestation, content, requestID: requestID))
    }

    /// The next honest assertion.
    mutating func assertion(_ requestID: String) -> SentRecord {
        let content = AssertionContent.plain(clientData: Array(requestID.utf8))
        let assertion = device.assert(clientDataHash: content.clientDataHash)
        last = (assertion, content)
        return record(MintedRequest(assertion: assertion, content, requestID: requestID))
    }

    /// The last assertion once more, under another id: a replay.
    func replay(_ requestID: String) throws -> SentRecord {
        guard let last else { throw HarnessFailure("nothing was asserted yet") }
        return record(MintedRequest(assertion: last.assertion, last.content, requestID: requestID))
    }

    private func record(_ message: MintedRequest) -> SentRecord {
        SentRecord(key: Array(message.recordKey.utf8), value: message.json)
    }
}
