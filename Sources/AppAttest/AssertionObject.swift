/// An assertion object: structure right, nothing believed.
///
/// | key | type | content |
/// | --- | ---- | ------- |
/// | `signature` | byte string | DER ECDSA-Sig-Value |
/// | `authenticatorData` | byte string | see ``AssertionAuthenticatorData`` |
///
/// Other text keys are let pass and never used.
package struct AssertionObject {
    /// The most bytes of an object; genuine ones have up to 258.
    package static let byteCountMax = 4 * 1024

    /// The signature, DER.
    package let signature: ArraySlice<UInt8>
    /// The authenticator data as received: the signature is over a hash of exactly these bytes.
    package let authenticatorData: ArraySlice<UInt8>

    /// Reads step 1.
    ///
    /// - Parameter bytes: the object, CBOR.
    /// - Throws: `malformedCBOR` or `malformedAssertion`.
    package init(parsing bytes: [UInt8]) throws(Rejection) {
        let map = try topLevelMap(
            bytes, byteCountMax: Self.byteCountMax, otherwise: .malformedAssertion(.notAMap))
        signature = try byteString(.signature, of: map, "signature")
        authenticatorData = try byteString(.authenticatorData, of: map, "authenticatorData")
    }
}

private func byteString(
    _ part: AssertionFault.Part, of map: CBORMap, _ key: String
) throws(Rejection) -> ArraySlice<UInt8> {
    guard let value = map[key] else { throw .malformedAssertion(.missing(part)) }
    guard case .bytes(let bytes) = value else { throw .malformedAssertion(.wrongType(part)) }
    return bytes
}
