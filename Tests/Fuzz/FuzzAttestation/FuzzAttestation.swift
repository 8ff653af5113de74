import AppAttest
import FuzzDriver
import LibCrypto
import RecordedVectors
import Synchronization

/// Nothing but the genuine object, with whatever receipt, is accepted; no input traps.
@main
struct FuzzAttestation {
    nonisolated static func main() throws {
        let vector = try RecordedVectors.named("attestation-veehaitch-ios-14.4")
        guard let object = vector.attestation.map({ Array($0) }),
            let keyID = vector.keyID.flatMap({ Digest32($0) }).map({ KeyID($0) }),
            let hash = vector.clientDataHash.flatMap({ ClientDataHash(exactly: Array($0)) }),
            let milliseconds = try vector.validationMilliseconds(), let appID = vector.appID
        else { preconditionFailure("the vector lacks a field") }
        let genuine = try AttestationObject(parsing: object)
        let verifier = AttestationVerifier(
            relyingParties: [RelyingParty(appID: appID, environments: [.development])])
        let intermediates = Mutex(VerifiedIntermediates())
        let seeds = try RecordedVectors.all().compactMap { $0.attestation }.map { Array($0) }
        try FuzzDriver.run(seeds: seeds) { bytes in
            let proof = intermediates.withLock { intermediates in
                try? verifier.verify(
                    bytes, keyID: keyID, clientDataHash: hash,
                    at: Instant(milliseconds: milliseconds), intermediates: &intermediates)
            }
            guard let proof else { return }
            guard let accepted = try? AttestationObject(parsing: bytes) else {
                preconditionFailure("accepted but not readable")
            }
            precondition(accepted.leaf == genuine.leaf, "another certificate was accepted")
            precondition(accepted.authenticatorData == genuine.authenticatorData)
            precondition(proof.keyID == keyID && proof.appID == appID)
            precondition(proof.receipt.elementsEqual(accepted.receipt))
        }
    }
}
