/// The object identifiers that certificates of this field carry, encoded.
enum ObjectIdentifiers {
    static let commonName = DER.objectIdentifier([2, 5, 4, 3])
    static let stateOrProvince = DER.objectIdentifier([2, 5, 4, 8])
    static let organization = DER.objectIdentifier([2, 5, 4, 10])
    static let organizationalUnit = DER.objectIdentifier([2, 5, 4, 11])

    static let subjectKeyIdentifier = DER.objectIdentifier([2, 5, 29, 14])
    static let keyUsage = DER.objectIdentifier([2, 5, 29, 15])
    static let basicConstraints = DER.objectIdentifier([2, 5, 29, 19])
    static let authorityKeyIdentifier = DER.objectIdentifier([2, 5, 29, 35])
    static let extendedKeyUsage = DER.objectIdentifier([2, 5, 29, 37])

    static let ecPublicKey = DER.objectIdentifier([1, 2, 840, 10045, 2, 1])
    static let primeField = DER.objectIdentifier([1, 2, 840, 10045, 1, 1])
    static let prime256v1 = DER.objectIdentifier([1, 2, 840, 10045, 3, 1, 7])
    static let secp384r1 = DER.objectIdentifier([1, 3, 132, 0, 34])
    static let rsaEncryption = DER.objectIdentifier([1, 2, 840, 113549, 1, 1, 1])
    static let ecdsaWithSHA256 = DER.objectIdentifier([1, 2, 840, 10045, 4, 3, 2])
    static let ecdsaWithSHA384 = DER.objectIdentifier([1, 2, 840, 10045, 4, 3, 3])

    static let sha256 = DER.objectIdentifier([2, 16, 840, 1, 101, 3, 4, 2, 1])

    static let sha1 = DER.objectIdentifier([1, 3, 14, 3, 2, 26])

    /// The attribute that tells the type of signed content (RFC 5652, 11.1).
    static let contentType = DER.objectIdentifier([1, 2, 840, 113549, 1, 9, 3])
    /// The attribute that tells the digest of signed content (RFC 5652, 11.2).
    static let messageDigest = DER.objectIdentifier([1, 2, 840, 113549, 1, 9, 4])
    /// CMS data (RFC 5652, 4).
    static let data = DER.objectIdentifier([1, 2, 840, 113549, 1, 7, 1])
    /// CMS signed data (RFC 5652, 5.1).
    static let signedData = DER.objectIdentifier([1, 2, 840, 113549, 1, 7, 2])

    /// The one purpose in the extended key usage of credential certificates.
    static let attestationPurpose = apple(4, 24)
    static let nonce = apple(8, 2)
    static let appAttributes = apple(8, 5)
    static let accessControl = apple(8, 6)
    static let operatingSystem = apple(8, 7)
    /// The mark of those who sign receipts.
    static let receiptSigner = apple(12, 15)
    /// The mark of the authority that issues them.
    static let receiptIntermediate = apple(6, 2, 3)
    /// An arc for examples (RFC 5612), which means nothing.
    static let unassigned = DER.objectIdentifier([1, 3, 6, 1, 4, 1, 32473, 1])

    /// An arc below Apple's certificate extensions and purposes, 1.2.840.113635.100.
    private static func apple(_ arcs: UInt64...) -> [UInt8] {
        DER.objectIdentifier([1, 2, 840, 113635, 100] + arcs)
    }
}
