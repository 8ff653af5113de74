internal import AppAttest

/// Where client data has the challenge that a worker minted.
///
/// App Check's clients sign the bytes of a challenge, the Capgo plugin its text, and apps sign JSON
/// with the text inside. That whoever looks finds the same challenge in the same bytes, a name that
/// occurs twice finds none.
package enum PresentedChallenge {
    /// The challenge's bytes; whether they are genuine is for ``SignedChallenge`` to tell.
    ///
    /// - Parameters:
    ///   - clientData: what the app signed, but for an artifact before it.
    ///   - field: the member of a JSON object that has the challenge.
    /// - Returns: nil where there is nothing that could be one.
    package static func find(in clientData: [UInt8], field: String) -> [UInt8]? {
        // No text of 58 bytes is one: as base64 a challenge has 78 characters or more.
        if clientData.count == SignedChallenge.byteCount { return clientData }
        guard let text = String(validating: clientData, as: UTF8.self) else { return nil }
        if let bytes = Base64.decode(text), !bytes.isEmpty { return bytes }
        guard
            let object = try? JSONObjectText(clientData, depthMax: MessageLimits().depthMax),
            object.flaw == nil, case .text(let text) = object[field]
        else { return nil }
        return Base64.decode(text)
    }
}
