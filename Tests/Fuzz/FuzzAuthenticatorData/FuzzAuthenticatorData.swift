import AppAttest
import FuzzDriver
import LibCrypto
import RecordedVectors

/// The fields that are read lie where the tables say, derived again by hand.
@main
struct FuzzAuthenticatorData {
    nonisolated static func main() throws {
        let seeds = try RecordedVectors.all().compactMap { vector -> [UInt8]? in
            if let object = vector.attestation {
                return Array(try AttestationObject(parsing: Array(object)).authenticatorData)
            }
            guard let object = vector.assertion else { return nil }
            return Array(try AssertionObject(parsing: Array(object)).authenticatorData)
        }
        try FuzzDriver.run(seeds: seeds) { bytes in
            if let data = try? AssertionAuthenticatorData(parsing: bytes[...]) {
                check(data.head, against: bytes)
                precondition(bytes.count == 37 || bytes[37] >> 5 == 5, "not a map")
            }
            if let data = try? AttestationAuthenticatorData(parsing: bytes[...]) {
                check(data.head, against: bytes)
                let count = Int(bytes[53]) << 8 | Int(bytes[54])
                precondition(data.aaguid.elementsEqual(bytes[37..<53]))
                precondition(data.credentialID.elementsEqual(bytes[55..<55 + count]))
                precondition(bytes[55 + count] >> 5 == 5, "not a map")
            }
        }
    }
}

private func check(_ head: AuthenticatorDataHead, against bytes: [UInt8]) {
    precondition(head.relyingPartyIDHash.digest.bytes.elementsEqual(bytes[0..<32]))
    precondition(head.flags == bytes[32])
    let signCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
    precondition(head.signCount == signCount)
    precondition(head.flags & 0x80 == 0 || bytes.count > 37, "extensions are missing")
}
