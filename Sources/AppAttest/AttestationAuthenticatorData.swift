package import LibCrypto

/// Authenticator data of an attestation.
///
/// | offset | bytes | field |
/// | -----: | ----: | ----- |
/// | 0 | 37 | ``AuthenticatorDataHead`` |
/// | 37 | 16 | AAGUID |
/// | 53 | 2 | length of the credential id, big-endian |
/// | 55 | 32 | credential id |
/// | 87 | 77 | COSE key, one CBOR map |
/// | 164 | … | extensions, one CBOR map, or nothing |
///
/// Source: WebAuthn Level 3, 6.5.1.
package struct AttestationAuthenticatorData {
    /// The number of bytes of an AAGUID.
    package static let aaguidByteCount = 16

    /// Relying party id hash, flags and sign count.
    package let head: AuthenticatorDataHead
    /// 16 bytes that tell the environment.
    package let aaguid: ArraySlice<UInt8>
    /// The credential id, of whatever length it says.
    package let credentialID: ArraySlice<UInt8>
    /// The public key as a map.
    package let coseKey: CBORMap
    /// The signed extensions.
    package let extensions: SignedExtensions

    /// Reads step 7.
    ///
    /// - Parameter bytes: the authenticator data.
    /// - Throws: what is wrong with its structure.
    package init(parsing bytes: ArraySlice<UInt8>) throws(AuthenticatorDataFault) {
        var reader = ByteReader(bytes)
        head = try AuthenticatorDataHead(&reader)
        guard let aaguid = reader.take(Self.aaguidByteCount),
            let length = reader.bigEndian(UInt16.self),
            let credentialID = reader.take(Int(length))
        else { throw .truncated }
        self.aaguid = aaguid
        self.credentialID = credentialID
        var rest = CBORReader(reader.remaining)
        let item: CBORItem
        do {
            item = try rest.readItem()
        } catch {
            throw .key(error)
        }
        guard case .map(let coseKey) = item else { throw .key(nil) }
        self.coseKey = coseKey
        extensions = try head.extensions(in: rest.remaining)
    }

    /// The environment that the AAGUID names; nil when it is neither of Apple's.
    package var environment: AttestationEnvironment? {
        if aaguid.spells("appattestdevelop") { return .development }
        if aaguid.spells("appattest\0\0\0\0\0\0\0") { return .production }
        return nil
    }

    /// Whether the COSE key is exactly this P-256 point.
    ///
    /// `{1: 2, 3: -7, -1: 1, -2: X, -3: Y}`: EC2, ES256, P-256 (RFC 9053, 7.1). The coordinates are
    /// compared as 32 bytes each; as integers, one key in 128 would have lost a leading zero.
    package func coseKeyIs(_ publicKey: P256PublicKey) -> Bool {
        let coordinates = publicKey.x963.dropFirst()
        return coseKey.entries.count == 5
            && coseKey[.unsigned(1)] == .unsigned(2)
            && coseKey[.unsigned(3)] == .negative(6)
            && coseKey[.negative(0)] == .unsigned(1)
            && coseKey[.negative(1)] == .bytes(coordinates.prefix(32))
            && coseKey[.negative(2)] == .bytes(coordinates.suffix(32))
    }
}
