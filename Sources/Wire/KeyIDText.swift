package import AppAttest
internal import LibCrypto

extension KeyID {
    /// The key id as Apple writes it, and as record keys have it: standard base64, padded.
    package var text: String {
        Base64.encode(digest.bytes)
    }

    /// Reads a key id; nil if the text is something else.
    ///
    /// - Parameter text: base64 of 32 bytes by the rules of ``Base64``, in either alphabet.
    package init?(text: String) {
        guard let bytes = Base64.decode(text), let digest = Digest32(bytes) else { return nil }
        self.init(digest)
    }
}
