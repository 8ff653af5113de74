public import AppAttest
import LibCrypto

/// A private certificate authority that is shaped like Apple's: a root and an intermediate.
///
/// Give ``rootCertificate`` to a verifier as its trust anchor, and what the authority's
/// ``SimulatedDevice``s make is verified as Apple's objects are. The names are its own, so that no
/// certificate can be taken for one of Apple's. Receipts end at a root of their own,
/// ``receiptRootCertificate``.
///
/// | | root | intermediate |
/// | --- | --- | --- |
/// | key | P-384 | P-384 |
/// | signature | ecdsa-with-SHA384, by itself | ecdsa-with-SHA384, by the root |
/// | validity | 2020-03-18 to 2045-03-15 | 2020-03-18 to 2030-03-13, then renewed to 2045-03-15 |
/// | basic constraints | CA | CA, path length 0 |
/// | key usage | keyCertSign, cRLSign | keyCertSign, cRLSign |
///
/// Apple's intermediate ends in 2030, and nobody knows what comes then. Here it is renewed a month
/// before: the same name and key, valid as long as the root.
///
/// The keys follow from seed and secret: everybody who knows them can sign. Never trust such a root
/// in production without a secret of 32 random bytes, nor for any app that has real users.
public struct TestAuthority: Sendable {
    /// The root certificate in DER: the trust anchor.
    public let rootCertificate: [UInt8]
    /// The intermediate certificate in DER, as it stands in attestations until its renewal.
    public let intermediateCertificate: [UInt8]
    /// The root certificate of receipts in DER: another one than that of attestations, as Apple's
    /// is.
    public var receiptRootCertificate: [UInt8] {
        receipts.rootCertificate
    }

    let seed: UInt64
    /// What has to be known beside the seed; the keys of all devices follow from it as well.
    let secret: [UInt8]
    let rootKey: ECPrivateKey
    let intermediateKey: ECPrivateKey
    let receipts: ReceiptAuthority

    /// When devices can be attested: while a root and an intermediate are valid.
    public static let validity =
        Instant(seconds: 1_584_556_795)...Instant(seconds: 2_373_148_799)
    /// When the root ends; libcrypto takes the last second for over.
    private static let end = Instant(seconds: 2_373_148_800)
    /// When the first intermediate ends.
    private static let firstEnd = Instant(seconds: 1_899_590_400)
    /// From when on attestations have the renewed intermediate.
    private static let renewal = firstEnd.adding(days: -30)

    static let rootName = CertificateDraft.name(commonName: "Attest Test Root CA")
    static let intermediateName = CertificateDraft.name(commonName: "Attest Test CA 1")

    /// An authority; the same seed gives the same certificates, byte for byte.
    ///
    /// - Parameters:
    ///   - seed: what the keys follow from.
    ///   - secret: what the keys of authority and devices follow from as well; 32 random bytes
    ///     where nobody else shall be able to sign.
    ///   - rootPathLength: a path length constraint in the root; Apple's has none. With 0 no chain
    ///     that has an intermediate may be accepted.
    public init(seed: UInt64, secret: [UInt8] = [], rootPathLength: UInt8? = nil) {
        self.init(
            seed: seed, secret: secret, rootPathLength: rootPathLength,
            receipts: ReceiptAuthority(seed: seed, secret: secret))
    }

    /// An authority whose receipts another one may issue as well.
    init(
        seed: UInt64, secret: [UInt8] = [], rootPathLength: UInt8?, receipts: ReceiptAuthority
    ) {
        let bytes = SeededBytes(seed: seed, secret: secret)
        self.seed = seed
        self.secret = secret
        self.receipts = receipts
        rootKey = bytes.key("root key", .p384)
        intermediateKey = bytes.key("intermediate key", .p384)
        rootCertificate = CertificateDraft(
            serialNumber: [0x0B] + bytes.bytes("root serial number", count: 15),
            issuer: Self.rootName, subject: Self.rootName,
            notBefore: Instant(seconds: 1_584_556_373), notAfter: Self.end,
            publicKeyInfo: rootKey.publicKeyInfo,
            extensions: [
                .authority(pathLength: rootPathLength.map(UInt64.init)), .subjectKey(rootKey),
                .signsCertificates,
            ]
        ).signed(by: rootKey, hash: .sha384)
        intermediateCertificate = Self.intermediateDraft(
            seed: seed, key: intermediateKey, rootKey: rootKey, isRenewed: false
        ).signed(by: rootKey, hash: .sha384)
    }

    /// The intermediate certificate in DER, as it stands in attestations of a moment.
    ///
    /// - Parameter instant: when the device is attested.
    /// - Returns: ``intermediateCertificate``, or its renewal from 2030-02-11 on.
    public func intermediateCertificate(at instant: Instant) -> [UInt8] {
        instant < Self.renewal
            ? intermediateCertificate
            : intermediateDraft(at: instant).signed(by: rootKey, hash: .sha384)
    }

    /// The intermediate of a moment before it is signed.
    func intermediateDraft(at instant: Instant) -> CertificateDraft {
        Self.intermediateDraft(
            seed: seed, key: intermediateKey, rootKey: rootKey,
            isRenewed: instant >= Self.renewal)
    }

    private static func intermediateDraft(
        seed: UInt64, key: ECPrivateKey, rootKey: ECPrivateKey, isRenewed: Bool
    ) -> CertificateDraft {
        let number = isRenewed ? "renewed intermediate" : "intermediate"
        return CertificateDraft(
            serialNumber: [0x09]
                + SeededBytes(seed: seed).bytes("\(number) serial number", count: 15),
            issuer: rootName, subject: intermediateName,
            notBefore: isRenewed ? renewal : validity.lowerBound,
            notAfter: isRenewed ? end : firstEnd,
            publicKeyInfo: key.publicKeyInfo,
            extensions: [
                .authority(pathLength: 0), .authorityKey(rootKey), .subjectKey(key),
                .signsCertificates,
            ])
    }
}
