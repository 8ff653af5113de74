import AppAttest
import Foundation
import LibCrypto
import Testing

/// An object with all that a verifier needs to judge it, as `check.py` reads it.
struct DifferentialCase: Encodable, Sendable {
    enum Kind: String, Encodable {
        case attestation
        case assertion
    }

    /// What was minted, and how it was changed; unlike that of any other case.
    var id: String
    var kind: Kind
    var appID: String
    var environments: [String]
    /// The trust anchor in DER.
    var root: Data
    var keyID: Data
    /// The stored key, 65 bytes; for assertions.
    var publicKey: Data
    var clientDataHash: Data
    var object: Data
    /// The moment at which to judge, in whole seconds since 1970.
    var at: Int64

    /// The reason for which this package's verifier refuses the object; nil when it accepts it.
    func reason() throws -> RejectionCode? {
        let hash = try #require(ClientDataHash(exactly: Array(clientDataHash)))
        do throws(Rejection) {
            switch kind {
            case .attestation: try verifyAttestation(hash)
            case .assertion: try verifyAssertion(hash)
            }
            return nil
        } catch {
            return error.code
        }
    }

    private func verifyAttestation(_ hash: ClientDataHash) throws(Rejection) {
        guard let anchor = TrustAnchor(der: Array(root)), let keyID = Digest32(keyID) else {
            preconditionFailure("a case has a root and a key id of 32 bytes")
        }
        let app = RelyingParty(
            appID: appID,
            environments: Set(
                AttestationEnvironment.allCases.filter { environments.contains($0.rawValue) }),
            trustAnchor: anchor)
        var intermediates = VerifiedIntermediates()
        _ = try AttestationVerifier(relyingParties: [app]).verify(
            Array(object), keyID: KeyID(keyID), clientDataHash: hash, at: Instant(seconds: at),
            intermediates: &intermediates)
    }

    private func verifyAssertion(_ hash: ClientDataHash) throws(Rejection) {
        guard let key = P256PublicKey(x963: Array(publicKey)) else {
            preconditionFailure("a case has a key of 65 bytes")
        }
        _ = try AssertionVerifier().verify(
            Array(object), clientDataHash: hash, publicKey: key, appID: appID)
    }
}
