internal import LibCrypto

// Two kinds of message carry authenticator data, and the flags do not tell which: assertions have
// AT (0x40) set though no attested credential data follows, and early OS 27 builds have ED (0x80)
// clear though extensions do. So each kind has its own parser, and the only thing a flag can do is
// make data malformed: ED set with nothing following.

/// The head of authenticator data: what device and app the message comes from.
///
/// | offset | bytes | field |
/// | -----: | ----: | ----- |
/// | 0 | 32 | relying party id hash: SHA-256 of the app id |
/// | 32 | 1 | flags |
/// | 33 | 4 | sign count, big-endian |
///
/// Source: WebAuthn Level 3, 6.1.
package struct AuthenticatorDataHead: Hashable {
    /// The flag "extension data included".
    package static let extensionDataFlag: UInt8 = 0x80

    /// SHA-256 of the app id.
    package let relyingPartyIDHash: RelyingPartyIDHash
    /// The flags; not to be relied on.
    package let flags: UInt8
    /// How often the key has signed.
    package let signCount: UInt32

    /// Reads the head, and leaves the reader behind it.
    init(_ reader: inout ByteReader) throws(AuthenticatorDataFault) {
        guard let hash = reader.take(Digest32.byteCount), let digest = Digest32(hash),
            let flags = reader.byte(), let signCount = reader.bigEndian(UInt32.self)
        else { throw .truncated }
        relyingPartyIDHash = RelyingPartyIDHash(digest)
        self.flags = flags
        self.signCount = signCount
    }

    /// Reads the extensions that are all the rest.
    func extensions(
        in rest: ArraySlice<UInt8>
    ) throws(AuthenticatorDataFault) -> SignedExtensions {
        let isAnnounced = flags & Self.extensionDataFlag != 0
        guard !rest.isEmpty else {
            guard !isAnnounced else { throw .extensionsMissing }
            return .none
        }
        return try SignedExtensions(parsing: rest, isAnnounced: isAnnounced)
    }
}
