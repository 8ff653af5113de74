package import AppAttest
internal import LibCrypto

extension KeyID {
    /// The key id as Apple writes it, and as record keys have it: standard base64, padded.
    package var text: String {
        Base64.encode(digest.bytes)
    }
}
