import AppAttest
import LibCrypto

/// Who issues receipts, shaped like Apple's: another root than that of attestations.
///
/// | | root | intermediate | signers |
/// | --- | --- | --- | --- |
/// | key | P-384 | P-256 | P-256 |
/// | signature | ecdsa-with-SHA384, by itself | ecdsa-with-SHA384 | ecdsa-with-SHA256 |
/// | validity | 2014-04-30 to 2039-04-30 | 2019-03-22 to 2034-03-22 | 395 days |
/// | basic constraints | CA | CA | none |
/// | key usage | keyCertSign, cRLSign | keyCertSign, cRLSign | digitalSignature |
/// | marker | | 100.6.2.3 | 100.12.15 |
///
/// Each year since March 2020 has a signer of its own, eleven in all. Apple's certificates also
/// tell policies and the addresses of its revocation services; these do not.
struct ReceiptAuthority {
    let rootCertificate: [UInt8]
    /// A key that no certificate of this authority is for.
    let otherKey: ECPrivateKey
    private let seed: UInt64
    private let secret: [UInt8]
    private let rootKey: ECPrivateKey
    private let intermediateKey: ECPrivateKey
    private let signers: [ReceiptSigner]

    private static let rootName = CertificateDraft.name(commonName: "Attest Test Receipt Root CA")
    private static let intermediateName = CertificateDraft.name(
        commonName: "Attest Test Receipt CA 1")
    private static let signerName = CertificateDraft.name(
        commonName: "Attest Test Receipt Signing")

    /// When the first signer's certificate becomes valid: with the intermediate of attestations.
    private static let firstSignerStart = Instant(seconds: 1_584_489_600)
    private static let signerPeriodDays: Int64 = 365
    private static let signerLifetimeDays: Int64 = 395
    private static let signerCount: Int64 = 11

    /// An authority; the same seed and secret give the same certificates.
    init(seed: UInt64, secret: [UInt8]) {
        let bytes = SeededBytes(seed: seed, secret: secret)
        let rootKey = bytes.key("receipt root key", .p384)
        let intermediateKey = bytes.key("receipt intermediate key", .p256)
        let root = CertificateDraft(
            serialNumber: [0x2D] + bytes.bytes("receipt root serial number", count: 7),
            issuer: Self.rootName, subject: Self.rootName,
            notBefore: Instant(seconds: 1_398_881_946), notAfter: Instant(seconds: 2_187_800_346),
            publicKeyInfo: rootKey.publicKeyInfo,
            extensions: [
                .subjectKey(rootKey), .authority(pathLength: nil), .signsCertificates,
            ]
        ).signed(by: rootKey, hash: .sha384)
        let intermediate = CertificateDraft(
            serialNumber: [0x56] + bytes.bytes("receipt intermediate serial number", count: 15),
            issuer: Self.rootName, subject: Self.intermediateName,
            notBefore: Instant(seconds: 1_553_277_213), notAfter: Instant(seconds: 2_026_598_400),
            publicKeyInfo: intermediateKey.publicKeyInfo,
            extensions: [
                .authority(pathLength: nil), .authorityKey(rootKey),
                .subjectKey(intermediateKey), .signsCertificates,
                CertificateExtension(ObjectIdentifiers.receiptIntermediate, DER.null),
            ]
        ).signed(by: rootKey, hash: .sha384)
        self.seed = seed
        self.secret = secret
        self.rootKey = rootKey
        self.intermediateKey = intermediateKey
        otherKey = bytes.key("receipt other key", .p256)
        rootCertificate = root
        signers = (0..<Self.signerCount).map { year in
            let key = bytes.key("receipt signer key \(year)", .p256)
            let draft = Self.signerDraft(year: year, key, intermediateKey, bytes)
            let certificate = draft.signed(by: intermediateKey, hash: .sha256)
            return ReceiptSigner(
                draft: draft, key: key, certificates: [certificate, intermediate, root])
        }
    }

    /// Who signs at a moment: the newest signer whose certificate is valid; before the first one's
    /// time the first, after the last one's the last.
    func signer(at instant: Instant) -> ReceiptSigner {
        let age = instant.milliseconds - Self.firstSignerStart.milliseconds
        let year = max(0, age) / (Self.signerPeriodDays * 86_400_000)
        return signers[Int(min(year, Self.signerCount - 1))]
    }

    /// An authority of the same names with other keys.
    var twin: ReceiptAuthority {
        ReceiptAuthority(seed: ~seed, secret: secret)
    }

    /// Changes a signer's certificate and signs it anew with the intermediate.
    func reissue(_ signer: inout ReceiptSigner, _ change: (inout CertificateDraft) -> Void) {
        change(&signer.draft)
        signer.certificates[0] = signer.draft.signed(by: intermediateKey, hash: .sha256)
    }

    /// Lets the root issue a signer's certificate.
    func reissueByRoot(_ signer: inout ReceiptSigner) {
        signer.draft.issuer = Self.rootName
        signer.draft.replace(.authorityKey(rootKey))
        signer.certificates[0] = signer.draft.signed(by: rootKey, hash: .sha384)
    }

    private static func signerDraft(
        year: Int64, _ key: ECPrivateKey, _ intermediateKey: ECPrivateKey, _ bytes: SeededBytes
    ) -> CertificateDraft {
        let start = firstSignerStart.adding(days: year * signerPeriodDays)
        return CertificateDraft(
            serialNumber: [0x59] + bytes.bytes("receipt signer serial number \(year)", count: 15),
            issuer: intermediateName, subject: signerName,
            notBefore: start, notAfter: start.adding(days: signerLifetimeDays),
            publicKeyInfo: key.publicKeyInfo,
            extensions: [
                .endEntity, .authorityKey(intermediateKey), .subjectKey(key), .signsContent,
                CertificateExtension(ObjectIdentifiers.receiptSigner, DER.null),
            ])
    }
}
