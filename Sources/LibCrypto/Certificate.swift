internal import CCrypto
internal import CCryptoShims

/// One X.509 certificate that could be read: nothing in it is believed yet.
///
/// Instances may be shared between threads.
public final class Certificate: @unchecked Sendable {
    // `@unchecked`: libcrypto counts references to an X509 atomically and guards what it caches in
    // one with a lock; nothing here writes to one after `init`.

    /// The most bytes that are read; Apple's certificates have up to 1,057.
    public static let byteCountMax = 4096

    /// The most extensions of a certificate; Apple's have up to eight.
    public static let extensionCountMax = 64

    /// The bytes it was read from.
    public let der: [UInt8]

    /// SHA-256 of ``der``.
    public let fingerprint: Digest32

    /// Start of validity, in seconds since 1970.
    public let notBefore: Int64

    /// End of validity, in seconds since 1970.
    public let notAfter: Int64

    /// The X509, owned by this object.
    let handle: OpaquePointer

    /// Reads one certificate.
    ///
    /// `d2i_X509` alone would leave bytes after the certificate unread and take an outer structure
    /// that is BER but not DER. Both are refused here: the bytes must be used up, and writing the
    /// certificate again must give the same bytes. (What the issuer signed is kept by libcrypto as
    /// it came, so it is the signature that vouches for that part.)
    ///
    /// - Parameter der: one certificate in DER, up to ``byteCountMax`` bytes. Nil when it can't be
    ///   read, has bytes after it, is not DER, has more than ``extensionCountMax`` extensions, or
    ///   has a validity that is no time.
    public convenience init?(der: [UInt8]) {
        defer { OpenSSLErrorQueue.clear() }
        guard der.count <= Self.byteCountMax, let handle = parse(der) else { return nil }
        self.init(taking: handle)
        guard self.der == der else { return nil }
    }

    /// Takes a certificate that libcrypto read as a part of something larger.
    ///
    /// - Parameter handle: an X509, which this object owns from now on, also when it is nil:
    ///   because of its size, its extensions or its validity, as with ``init(der:)``.
    init?(taking handle: OpaquePointer) {
        defer { OpenSSLErrorQueue.clear() }
        guard let der = encoding(of: handle), der.count <= Self.byteCountMax,
            // Looking at some of them only would leave a second one of a kind unseen.
            X509_get_ext_count(handle) <= CInt(Self.extensionCountMax),
            let notBefore = secondsSince1970(X509_get0_notBefore(handle)),
            let notAfter = secondsSince1970(X509_get0_notAfter(handle))
        else {
            X509_free(handle)
            return nil
        }
        self.handle = handle
        self.der = der
        self.notBefore = notBefore
        self.notAfter = notAfter
        fingerprint = SHA256.hash(der)
    }

    deinit {
        X509_free(handle)
    }

    /// Whether this is a CA certificate that is signed with its own key.
    public var isSelfSignedAuthority: Bool {
        defer { OpenSSLErrorQueue.clear() }
        return X509_self_signed(handle, 1) == 1 && X509_check_ca(handle) == 1
    }

    /// The magnitude of the serial number, big-endian.
    public var serialNumber: [UInt8] {
        // The number belongs to the certificate.
        guard let number = X509_get0_serialNumber(handle) else { return [] }
        return Array(
            UnsafeBufferPointer(
                start: ASN1_STRING_get0_data(number), count: Int(ASN1_STRING_length(number))))
    }

    /// Whether its key may sign content: its key usage has the bit digitalSignature.
    public var maySignContent: Bool {
        defer { OpenSSLErrorQueue.clear() }
        // Without the extension all bits are set: then it would have to be asked for by itself.
        return X509_get_extension_flags(handle) & UInt32(EXFLAG_KUSAGE) != 0
            && X509_get_key_usage(handle) & UInt32(KU_DIGITAL_SIGNATURE) != 0
    }

    /// Whether it says of itself that it issued another certificate; no signature is looked at.
    public func claimsToHaveIssued(_ other: Certificate) -> Bool {
        defer { OpenSSLErrorQueue.clear() }
        return X509_check_issued(handle, other.handle) == X509_V_OK
    }

    /// The subject public key, where it is an uncompressed P-256 point.
    ///
    /// The whole SubjectPublicKeyInfo is compared with the one DER form there is (RFC 5480, 2): a
    /// compressed point, explicit curve parameters or another curve give nil.
    public var p256PublicKey: P256PublicKey? {
        var encoding: UnsafeMutablePointer<UInt8>?
        let count = Int(i2d_X509_PUBKEY(X509_get_X509_PUBKEY(handle), &encoding))
        defer {
            attest_openssl_free(encoding)
            OpenSSLErrorQueue.clear()
        }
        let header = P256PublicKey.subjectPublicKeyInfoHeader
        guard let encoding, count == header.count + P256PublicKey.x963ByteCount else {
            return nil
        }
        let bytes = UnsafeBufferPointer(start: encoding, count: count)
        guard bytes.starts(with: header) else { return nil }
        return P256PublicKey(x963: Array(bytes.dropFirst(header.count)))
    }

    /// The contents of every extension with an object identifier, in their order.
    ///
    /// - Parameter identifier: the identifier's DER content, without tag and length.
    /// - Returns: for each occurrence the bytes inside `extnValue`; empty when there is none.
    public func extensionValues(_ identifier: [UInt8]) -> [[UInt8]] {
        var values: [[UInt8]] = []
        for position in 0..<X509_get_ext_count(handle) {
            // Both pointers belong to the certificate.
            guard let found = X509_get_ext(handle, position),
                let object = X509_EXTENSION_get_object(found),
                equals(object, identifier),
                let data = X509_EXTENSION_get_data(found)
            else { continue }
            values.append(
                Array(
                    UnsafeBufferPointer(
                        start: ASN1_STRING_get0_data(data), count: Int(ASN1_STRING_length(data)))))
        }
        return values
    }
}

/// An X509 that the caller owns, or nil when the bytes are not exactly one.
private func parse(_ der: [UInt8]) -> OpaquePointer? {
    der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
        guard let start = bytes.baseAddress else { return nil }
        var position: UnsafePointer<UInt8>? = start
        guard let handle = d2i_X509(nil, &position, bytes.count) else { return nil }
        guard position == start + bytes.count else {
            X509_free(handle)
            return nil
        }
        return handle
    }
}

private func encoding(of handle: OpaquePointer) -> [UInt8]? {
    var encoding: UnsafeMutablePointer<UInt8>?
    let count = i2d_X509(handle, &encoding)
    defer { attest_openssl_free(encoding) }
    guard count > 0, let encoding else { return nil }
    return Array(UnsafeBufferPointer(start: encoding, count: Int(count)))
}

private func secondsSince1970(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
    let epoch = ASN1_TIME_set(nil, 0)
    defer { ASN1_TIME_free(epoch) }
    var days: CInt = 0
    var seconds: CInt = 0
    // Null pointers would mean the present moment to this function.
    guard let epoch, let time, ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
    return Int64(days) * 86400 + Int64(seconds)
}

private func equals(_ object: OpaquePointer, _ identifier: [UInt8]) -> Bool {
    identifier.elementsEqual(
        UnsafeBufferPointer(start: OBJ_get0_data(object), count: OBJ_length(object)))
}
