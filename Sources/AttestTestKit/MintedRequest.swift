import AppAttest
import FoundationEssentials

/// A request as a gateway puts it on the request topic.
///
/// ```swift
/// let content = RegistrationContent.capgo(challenge: "c7Zr")
/// let attestation = device.attest(clientDataHash: content.clientDataHash, at: now)
/// let message = MintedRequest(registration: attestation, content, requestID: "r-1")
/// ```
public struct MintedRequest: Hashable, Sendable {
    /// The record's value: a JSON object with its keys sorted, so that it is the same each time.
    public let json: [UInt8]
    /// The record's key: the key id in standard base64 with padding, 44 characters.
    public let recordKey: String

    /// The message that registers a key.
    ///
    /// - Parameters:
    ///   - attestation: made over the client data hash of the content.
    ///   - content: what was attested, and the dialect.
    ///   - requestID: the gateway's id of the request; left out when nil.
    ///   - subject: the owner of the key; left out when nil.
    ///   - appID: the app the gateway believes it serves; left out when nil.
    public init(
        registration attestation: MintedAttestation, _ content: RegistrationContent,
        requestID: String? = nil, subject: String? = nil, appID: String? = nil
    ) {
        self.init(
            content.fields(attestation), keyID: attestation.keyID, requestID: requestID,
            subject: subject, appID: appID)
    }

    /// The message that has an assertion judged.
    ///
    /// - Parameters:
    ///   - assertion: made over the client data hash of the content.
    ///   - content: what was signed, and the dialect.
    ///   - requestID: the gateway's id of the request; left out when nil.
    ///   - subject: the owner of the key; left out when nil.
    ///   - appID: the app the gateway believes it serves; left out when nil.
    public init(
        assertion: MintedAssertion, _ content: AssertionContent, requestID: String? = nil,
        subject: String? = nil, appID: String? = nil
    ) {
        self.init(
            content.fields(assertion), keyID: assertion.keyID, requestID: requestID,
            subject: subject, appID: appID)
    }

    private init(
        _ fields: [String: MessageField], keyID: KeyID, requestID: String?, subject: String?,
        appID: String?
    ) {
        var fields = fields
        fields["requestId"] = requestID.map(MessageField.text)
        fields["subject"] = subject.map(MessageField.text)
        fields["appId"] = appID.map(MessageField.text)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            json = Array(try encoder.encode(fields))
        } catch {
            preconditionFailure("strings and booleans are JSON: \(error)")
        }
        recordKey = Data(keyID.bytes).base64EncodedString()
    }
}
