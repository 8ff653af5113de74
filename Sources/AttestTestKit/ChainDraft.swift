import AppAttest
import LibCrypto

/// The certificates of an attestation before they are signed: everything in them can be changed.
struct ChainDraft {
    var authority: TestAuthority
    var credential: CertificateDraft
    var credentialSigner: ECPrivateKey
    private let instant: Instant
    /// The intermediate as it comes out; signed once for all devices unless it is changed.
    private var intermediate: [UInt8]
    private var change: ((inout CertificatePair) -> Void)?

    /// A genuine chain, issued at a moment.
    init(authority: TestAuthority, credential: CertificateDraft, at instant: Instant) {
        self.authority = authority
        self.credential = credential
        self.instant = instant
        credentialSigner = authority.intermediateKey
        intermediate = authority.intermediateCertificate(at: instant)
    }

    /// The credential certificate in DER, signed.
    var issuedCredential: [UInt8] {
        credential.signed(by: credentialSigner, hash: .sha256)
    }

    /// Credential certificate and intermediate in DER, as they come out.
    ///
    /// The first is handed in, so that ``issuedCredential`` is signed only once.
    func certificates(_ issuedCredential: [UInt8]) -> CertificatePair {
        var certificates = CertificatePair(
            credential: issuedCredential, intermediate: intermediate)
        change?(&certificates)
        return certificates
    }

    /// Changes the bytes of both certificates after they are signed.
    mutating func change(_ change: @escaping (inout CertificatePair) -> Void) {
        self.change = change
    }

    /// Changes the intermediate and signs it anew with the root.
    mutating func changeIntermediate(_ change: (inout CertificateDraft) -> Void) {
        var draft = authority.intermediateDraft(at: instant)
        change(&draft)
        intermediate = draft.signed(by: authority.rootKey, hash: .sha384)
    }

    /// Takes another root and intermediate of the same names.
    mutating func signWithTwin() {
        authority = authority.twin
        credentialSigner = authority.intermediateKey
        intermediate = authority.intermediateCertificate(at: instant)
    }

    /// Lets the root issue the credential certificate.
    mutating func signCredentialWithRoot() {
        credential.issuer = TestAuthority.rootName
        credentialSigner = authority.rootKey
    }

    /// Takes another intermediate that claims to be the root's, and signs it with another root.
    mutating func signIntermediateWithTwin() {
        let twin = authority.twin
        credentialSigner = twin.intermediateKey
        var draft = authority.intermediateDraft(at: instant)
        draft.publicKeyInfo = twin.intermediateKey.publicKeyInfo
        draft.replace(.subjectKey(twin.intermediateKey))
        intermediate = draft.signed(by: twin.rootKey, hash: .sha384)
    }

    /// Puts a second intermediate, which the first issued, in the place of the first.
    mutating func putBelowIntermediate() {
        let key = authority.twin.intermediateKey
        let name = CertificateDraft.name(commonName: "Attest Test CA 1.1")
        var draft = authority.intermediateDraft(at: instant)
        draft.issuer = TestAuthority.intermediateName
        draft.subject = name
        draft.publicKeyInfo = key.publicKeyInfo
        draft.replace(.authorityKey(authority.intermediateKey))
        draft.replace(.subjectKey(key))
        intermediate = draft.signed(by: authority.intermediateKey, hash: .sha384)
        credential.issuer = name
        credentialSigner = key
    }
}

/// The certificates of an attestation in DER, in the order in which they stand in it.
struct CertificatePair {
    var credential: [UInt8]
    var intermediate: [UInt8]

    /// Changes the order.
    mutating func swap() {
        (credential, intermediate) = (intermediate, credential)
    }
}

extension TestAuthority {
    /// An authority of the same names with other keys, and the same receipts.
    var twin: TestAuthority {
        TestAuthority(seed: ~seed, rootPathLength: nil, receipts: receipts)
    }
}

extension Instant {
    /// A moment so many days later.
    func adding(days: Int64) -> Instant {
        Instant(milliseconds: milliseconds + days * 86_400_000)
    }
}

extension [UInt8] {
    /// Changes the last bit: in a certificate, one of the signature.
    mutating func flipLastBit() {
        guard let last = popLast() else { return }
        append(last ^ 1)
    }
}
