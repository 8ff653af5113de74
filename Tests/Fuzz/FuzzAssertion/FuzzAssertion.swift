import AppAttest
import FuzzDriver
import LibCrypto
import RecordedVectors

/// Nothing but the genuine authenticator data is accepted; no input traps.
@main
struct FuzzAssertion {
    nonisolated static func main() throws {
        let vector = try RecordedVectors.named("assertion-veehaitch-ios-14.4")
        guard let object = vector.assertion.map({ Array($0) }),
            let publicKey = vector.publicKey.flatMap({ P256PublicKey(x963: Array($0)) }),
            let hash = vector.clientDataHash.flatMap({ ClientDataHash(exactly: Array($0)) }),
            let appID = vector.appID
        else { preconditionFailure("the vector lacks a field") }
        let genuine = try AssertionObject(parsing: object)
        let seeds = try RecordedVectors.all().compactMap { $0.assertion }.map { Array($0) }
        try FuzzDriver.run(seeds: seeds) { bytes in
            guard
                let proof = try? AssertionVerifier().verify(
                    bytes, clientDataHash: hash, publicKey: publicKey, appID: appID)
            else { return }
            guard let accepted = try? AssertionObject(parsing: bytes) else {
                preconditionFailure("accepted but not readable")
            }
            precondition(accepted.authenticatorData == genuine.authenticatorData)
            precondition(proof.signCount == vector.signCount)
        }
    }
}
