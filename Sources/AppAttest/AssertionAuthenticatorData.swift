/// Authenticator data of an assertion.
///
/// | offset | bytes | field |
/// | -----: | ----: | ----- |
/// | 0 | 37 | ``AuthenticatorDataHead`` |
/// | 37 | … | extensions, one CBOR map, or nothing |
package struct AssertionAuthenticatorData {
    /// Relying party id hash, flags and sign count.
    package let head: AuthenticatorDataHead
    /// The signed extensions.
    package let extensions: SignedExtensions

    /// Reads the data.
    ///
    /// - Parameter bytes: the authenticator data.
    /// - Throws: what is wrong with its structure.
    package init(parsing bytes: ArraySlice<UInt8>) throws(AuthenticatorDataFault) {
        var reader = ByteReader(bytes)
        head = try AuthenticatorDataHead(&reader)
        extensions = try head.extensions(in: reader.remaining)
    }
}
