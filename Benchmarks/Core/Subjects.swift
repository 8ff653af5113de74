import AppAttest
import BenchmarkSupport
import FoundationEssentials
import LibCrypto
import RecordedVectors

/// What is measured, on objects that Apple's devices made.
enum Subjects {
    /// The bare P-256 verification of an assertion's signature: REF of the tables.
    static let signature = "P-256 verification, bare"
    /// The bare P-384 verification of the intermediate's signature on the leaf.
    static let certificate = "P-384 verification, bare"

    /// All subjects, limits first.
    static func all() throws -> [Subject] {
        let name = "veehaitch-ios-14.4"
        let assertion = try AssertionSample(RecordedVectors.named("assertion-\(name)"))
        let attestation = try AttestationSample(RecordedVectors.named("attestation-\(name)"))
        return try assertion.subjects() + attestation.subjects()
    }
}

/// An assertion with all that its verification needs.
private struct AssertionSample {
    let object: [UInt8]
    let clientDataHash: ClientDataHash
    let point: [UInt8]
    let key: P256PublicKey
    let appID: String

    init(_ vector: RecordedVector) throws {
        guard let object = vector.assertion, let point = vector.publicKey,
            let hash = vector.clientDataHash.flatMap({ ClientDataHash(exactly: Array($0)) }),
            let key = P256PublicKey(x963: Array(point)), let appID = vector.appID
        else { throw BenchmarkFault.noVector(vector.name) }
        self.object = Array(object)
        clientDataHash = hash
        self.point = Array(point)
        self.key = key
        self.appID = appID
    }

    func subjects() throws -> [Subject] {
        let parts = try AssertionObject(parsing: object)
        let nonce = SHA256.hash(Array(parts.authenticatorData), clientDataHash.bytes)
        let bare = BareVerification(
            point: point, signature: Array(parts.signature),
            message: nonce.bytes)
        guard let bare else { throw BenchmarkFault.noVector("readable assertion") }
        let verifier = AssertionVerifier()
        return [
            Subject(name: Subjects.signature, limit: nil, target: nil, run: bare.run),
            Subject(name: "assertion, key at hand", limit: Subjects.signature, target: 0.90) {
                let proof = try verifier.verify(
                    object, clientDataHash: clientDataHash, publicKey: key, appID: appID)
                return proof.signCount > 0
            },
            Subject(name: "assertion, key from 65 bytes", limit: Subjects.signature, target: 0.72) {
                guard let key = P256PublicKey(x963: point) else { return false }
                let proof = try verifier.verify(
                    object, clientDataHash: clientDataHash, publicKey: key, appID: appID)
                return proof.signCount > 0
            },
            Subject(name: "assertion, parsed only", limit: Subjects.signature, target: nil) {
                let parts = try AssertionObject(parsing: object)
                let data = try AssertionAuthenticatorData(parsing: parts.authenticatorData)
                return data.head.signCount > 0
            },
        ]
    }
}

/// An attestation with all that its verification needs.
private struct AttestationSample {
    let object: [UInt8]
    let keyID: KeyID
    let clientDataHash: ClientDataHash
    let instant: Instant
    let verifier: AttestationVerifier

    init(_ vector: RecordedVector) throws {
        guard let object = vector.attestation, let appID = vector.appID,
            let keyID = vector.keyID.flatMap({ Digest32($0) }),
            let hash = vector.clientDataHash.flatMap({ ClientDataHash(exactly: Array($0)) }),
            let milliseconds = try vector.validationMilliseconds(),
            let environment = vector.environment.flatMap(AttestationEnvironment.init(rawValue:))
        else { throw BenchmarkFault.noVector(vector.name) }
        self.object = Array(object)
        self.keyID = KeyID(keyID)
        clientDataHash = hash
        instant = Instant(milliseconds: milliseconds)
        verifier = AttestationVerifier(relyingParties: [
            RelyingParty(appID: appID, environments: [environment])
        ])
    }

    func subjects() throws -> [Subject] {
        let parts = try AttestationObject(parsing: object)
        guard let leaf = SignedCertificate(Array(parts.leaf)),
            let issuer = SignedCertificate(Array(parts.intermediate)),
            let bare = BareVerification(
                publicKey: issuer.publicKey, signature: leaf.signature, message: leaf.signedPart)
        else { throw BenchmarkFault.noVector("readable attestation") }
        let leafBytes = Array(parts.leaf)
        var kept = VerifiedIntermediates()
        return [
            Subject(name: Subjects.certificate, limit: nil, target: nil, run: bare.run),
            Subject(
                name: "leaf certificate, read by d2i_X509 alone", limit: Subjects.certificate,
                target: nil
            ) { isReadByLibcrypto(leafBytes) },
            // No verification with X509 can be faster; each pushes the other out of the caches.
            Subject(
                name: "these two, one after the other", limit: Subjects.certificate, target: nil
            ) { isReadByLibcrypto(leafBytes) && bare.run() },
            Subject(
                name: "leaf certificate, read", limit: Subjects.certificate, target: nil
            ) { Certificate(der: leafBytes) != nil },
            Subject(
                name: "attestation, intermediate cached", limit: Subjects.certificate, target: 0.78
            ) { try verify(&kept) },
            Subject(
                name: "attestation, nothing cached", limit: Subjects.certificate, target: nil
            ) {
                var none = VerifiedIntermediates(countMax: 0)
                return try verify(&none)
            },
            Subject(name: "attestation, parsed only", limit: Subjects.certificate, target: nil) {
                let parts = try AttestationObject(parsing: object)
                let data = try AttestationAuthenticatorData(parsing: parts.authenticatorData)
                return data.head.signCount == 0
            },
        ]
    }

    private func verify(_ intermediates: inout VerifiedIntermediates) throws -> Bool {
        let proof = try verifier.verify(
            object, keyID: keyID, clientDataHash: clientDataHash, at: instant,
            intermediates: &intermediates)
        return proof.keyID == keyID
    }
}
