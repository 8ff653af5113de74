/// An attestation object: structure right, nothing believed.
///
/// | key | type | content |
/// | --- | ---- | ------- |
/// | `fmt` | text | `apple-appattest` |
/// | `attStmt` | map | `x5c`: array of two byte strings; `receipt`: byte string, or absent |
/// | `authData` | byte string | see ``AttestationAuthenticatorData`` |
///
/// Other text keys are let pass and never used: devices between iOS 18.5 and 26 were seen to send a
/// `cdHash`, which nothing signs. Nothing signs the receipt here either, and some stores strip it
/// before they keep an object: it may be absent, and whoever needs it must ask for it.
package struct AttestationObject {
    /// The most bytes of an object; genuine ones have up to 5.9 KB.
    package static let byteCountMax = 16 * 1024

    /// The credential certificate, DER.
    package let leaf: ArraySlice<UInt8>
    /// The certificate of its issuer, DER.
    package let intermediate: ArraySlice<UInt8>
    /// The receipt, PKCS #7, not looked into; empty when the object has none.
    package let receipt: ArraySlice<UInt8>
    /// The authenticator data as received: the nonce is a hash over exactly these bytes.
    package let authenticatorData: ArraySlice<UInt8>

    /// Reads steps 0 and 1.
    ///
    /// - Parameter bytes: the object, CBOR.
    /// - Throws: `malformedCBOR`, `wrongFormat` or `malformedAttestation`.
    package init(parsing bytes: [UInt8]) throws(Rejection) {
        // Step 0: size and strict CBOR.
        let map = try topLevelMap(
            bytes, byteCountMax: Self.byteCountMax, otherwise: .malformedAttestation(.notAMap))
        // Step 1: the format, then the parts.
        guard case .text(let format) = try part(.format, of: map, "fmt") else {
            throw .malformedAttestation(.wrongType(.format))
        }
        guard format.spells("apple-appattest") else { throw .wrongFormat }
        guard case .map(let statement) = try part(.statement, of: map, "attStmt"),
            statement.hasOnlyTextKeys
        else { throw .malformedAttestation(.wrongType(.statement)) }
        guard case .array(let certificates) = try part(.certificates, of: statement, "x5c") else {
            throw .malformedAttestation(.wrongType(.certificates))
        }
        guard certificates.count == 2, let first = certificates.first, let last = certificates.last
        else { throw .malformedAttestation(.certificateCount(certificates.count)) }
        guard case .bytes(let leaf) = first, case .bytes(let intermediate) = last else {
            throw .malformedAttestation(.wrongType(.certificates))
        }
        guard case .bytes(let authenticatorData) = try part(.authenticatorData, of: map, "authData")
        else { throw .malformedAttestation(.wrongType(.authenticatorData)) }
        self.leaf = leaf
        self.intermediate = intermediate
        self.receipt = try readReceipt(statement["receipt"])
        self.authenticatorData = authenticatorData
    }
}

private func readReceipt(_ item: CBORItem?) throws(Rejection) -> ArraySlice<UInt8> {
    guard let item else { return [] }
    guard case .bytes(let receipt) = item else { throw .malformedAttestation(.wrongType(.receipt)) }
    return receipt
}

private func part(
    _ part: AttestationFault.Part, of map: CBORMap, _ key: String
) throws(Rejection) -> CBORItem {
    guard let value = map[key] else { throw .malformedAttestation(.missing(part)) }
    return value
}

/// Reads an object that must be one map with text keys.
func topLevelMap(
    _ bytes: [UInt8], byteCountMax: Int, otherwise notAMap: Rejection
) throws(Rejection) -> CBORMap {
    guard bytes.count <= byteCountMax else {
        throw .malformedCBOR(.tooLarge(byteCount: bytes.count, byteCountMax: byteCountMax))
    }
    let item: CBORItem
    do {
        item = try CBORReader.readWhole(bytes[...])
    } catch {
        throw .malformedCBOR(error)
    }
    guard case .map(let map) = item, map.hasOnlyTextKeys else { throw notAMap }
    return map
}
