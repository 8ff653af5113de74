import AppAttest
import AttestTestKit
import FoundationEssentials
import LibCrypto
import Testing
import Wire

@Suite struct `Minted requests` {
    /// Text that JSON must escape, and that is longer in UTF-8.
    static let text = "{\"order\": \"Zürich/\u{1}\u{1F600}\\\"}"

    static let registrations: [RegistrationContent] = [
        .capgo(challenge: text), .plain(clientData: [0x00, 0xFF]),
        .plainHash(MintedObjects.clientDataHash), .appCheck(challenge: [0xFE, 0xFF]),
    ]

    static let assertions: [AssertionContent] = [
        .capgo(payload: text), .plain(clientData: [0x00, 0xFF]),
        .plainHash(MintedObjects.clientDataHash),
    ]

    private func decode(_ message: MintedRequest) -> DecodedRecord {
        RequestMessage.decode(value: message.json, headers: [], limits: MessageLimits())
    }

    /// The request, without what only challenges and artifacts are looked for in.
    private func proving(_ decoded: DecodedRecord) -> Request? {
        guard case .request(var request) = decoded else { return nil }
        request.clientData = nil
        request.isAppCheck = false
        return request
    }

    @Test(arguments: registrations)
    func `of registrations are read as they were meant`(_ content: RegistrationContent) {
        let device = MintedObjects.device(.iOS27)
        let attestation = device.attest(
            clientDataHash: content.clientDataHash, at: MintedObjects.instant)
        let message = MintedRequest(
            registration: attestation, content, requestID: "r-1", subject: "Zoë", appID: "T.app")
        let expected = Request(
            requestID: RequestID("r-1"), kind: .registration, keyID: device.keyID,
            object: attestation.object, clientDataHash: content.clientDataHash, appID: "T.app",
            subject: "Zoë")
        #expect(proving(decode(message)) == expected)
    }

    @Test(arguments: assertions)
    func `of assertions are read as they were meant`(_ content: AssertionContent) {
        var device = MintedObjects.device(.iOS27)
        let assertion = device.assert(clientDataHash: content.clientDataHash)
        let expected = Request(
            requestID: nil, kind: .assertion, keyID: device.keyID, object: assertion.object,
            clientDataHash: content.clientDataHash, appID: nil, subject: nil)
        #expect(proving(decode(MintedRequest(assertion: assertion, content))) == expected)
    }

    @Test func `of App Check assertions carry artifact and challenge`() throws {
        let content = AssertionContent.appCheck(artifact: [1, 2], challenge: [3])
        #expect(content.clientDataHash == ClientDataHash(hashing: [1, 2, 3]))
        var device = MintedObjects.device(.iOS27)
        let message = MintedRequest(
            assertion: device.assert(clientDataHash: content.clientDataHash), content)
        struct Fields: Decodable {
            var artifact: Data
            var challenge: Data
            var limitedUse: Bool
        }
        let fields = try JSONDecoder().decode(Fields.self, from: Data(message.json))
        #expect(Array(fields.artifact) == [1, 2])
        #expect(Array(fields.challenge) == [3])
        #expect(!fields.limitedUse)
    }

    @Test func `have the key id in base64 as their record key`() {
        var device = MintedObjects.device(.iOS27)
        let message = MintedRequest(
            assertion: device.assert(clientDataHash: MintedObjects.clientDataHash),
            .plainHash(MintedObjects.clientDataHash))
        #expect(message.recordKey.count == 44)
        #expect(message.recordKey.hasSuffix("="))
        #expect(Data(base64Encoded: message.recordKey) == Data(device.keyID.digest.bytes))
    }

    @Test func `are the same each time`() {
        let messages = (1...2).map { _ in
            var device = MintedObjects.device(.iOS27)
            return MintedRequest(
                assertion: device.assert(clientDataHash: MintedObjects.clientDataHash),
                .plainHash(MintedObjects.clientDataHash), requestID: "r", subject: "s", appID: "a")
        }
        #expect(Set(messages).count == 1)
    }
}
