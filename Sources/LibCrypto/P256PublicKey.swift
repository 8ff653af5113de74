internal import CCrypto
internal import Synchronization

/// A public key on the curve P-256, checked to be a point of it.
///
/// Two keys are equal when their points are. Instances may be shared between threads.
public final class P256PublicKey: @unchecked Sendable, Hashable {
    // `@unchecked`: libcrypto counts references to an EVP_PKEY atomically, and nothing here writes
    // to one after `init`. A context is in one thread's hands at a time.

    /// The number of bytes of an uncompressed point.
    public static let x963ByteCount = 65

    /// The longest DER signature: a sequence of two integers of up to 33 bytes.
    public static let derSignatureByteCountMax = 72

    /// SubjectPublicKeyInfo up to the point: RFC 5480, 2.
    ///
    /// SEQUENCE { SEQUENCE { id-ecPublicKey, prime256v1 }, BIT STRING of 65 bytes, none unused }.
    static let subjectPublicKeyInfoHeader: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08,
        0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    /// The point, 65 bytes, X9.63 uncompressed: 0x04 ‖ X ‖ Y, big-endian.
    public let x963: [UInt8]

    private let key: OpaquePointer
    /// What the last verification left for the next; nil before the first, and while one uses it.
    ///
    /// To begin each verification anew would take a twentieth of its time.
    private let idleContext = Mutex<KeyContext?>(nil)

    /// Takes an uncompressed point.
    ///
    /// Source: SEC 1, 2.3.4; EVP_PKEY_set1_encoded_public_key(3).
    ///
    /// - Parameter x963: 65 bytes, 0x04 ‖ X ‖ Y. Nil when the length or the first byte is another
    ///   (compressed points are refused), or the point is not on the curve.
    public init?(x963: [UInt8]) {
        guard x963.count == Self.x963ByteCount, x963.first == 0x04,
            let key = makeKey(x963: x963)
        else {
            OpenSSLErrorQueue.clear()
            return nil
        }
        self.x963 = x963
        self.key = key
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// Whether a signature over a message was made with this key's private half.
    ///
    /// ECDSA with SHA-256 (FIPS 186-5, 6.4): the message is hashed here. High `s` is accepted, as
    /// devices make it. DER that has bytes left over, or is spelled otherwise than DER, is not a
    /// signature.
    ///
    /// - Parameters:
    ///   - derSignature: the DER ECDSA-Sig-Value, up to ``derSignatureByteCountMax`` bytes.
    ///   - message: the bytes that were signed, not their digest.
    /// - Returns: true only when libcrypto says exactly 1; a malformed signature is a false one.
    public func isValidSignature(_ derSignature: [UInt8], over message: [UInt8]) -> Bool {
        guard derSignature.count <= Self.derSignatureByteCountMax else { return false }
        defer { OpenSSLErrorQueue.clear() }
        let context = idleContext.withLock { $0.take() } ?? KeyContext(key)
        let isValid = context.isValid(derSignature, of: SHA256.hash(message))
        idleContext.withLock { $0 = context }
        return isValid
    }

    /// Equality of the points.
    public static func == (left: P256PublicKey, right: P256PublicKey) -> Bool {
        left.x963 == right.x963
    }

    /// Feeds the point to the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(x963)
    }
}

/// Owner of an EVP_PKEY_CTX that verifies with one key, again and again.
///
/// Used by one thread at a time.
private final class KeyContext: @unchecked Sendable {
    // `@unchecked`: it changes hands only under the lock of its key.
    private let handle: OpaquePointer

    /// A context of a key, which it keeps alive.
    init(_ key: OpaquePointer) {
        // Out of memory is no verdict on the signature: nothing true could be answered.
        guard let handle = EVP_PKEY_CTX_new_from_pkey(nil, key, nil),
            EVP_PKEY_verify_init(handle) == 1
        else { preconditionFailure("libcrypto can't begin a verification") }
        self.handle = handle
    }

    deinit {
        EVP_PKEY_CTX_free(handle)
    }

    /// Whether libcrypto says exactly 1 of a signature over a digest.
    func isValid(_ derSignature: [UInt8], of digest: Digest32) -> Bool {
        let digest = digest.bytes
        return EVP_PKEY_verify(
            handle, derSignature, derSignature.count, digest, digest.count) == 1
    }
}

/// An EVP_PKEY that the caller owns, or nil when the bytes are no point of the curve.
///
/// Copying the parameters of a key that is there and giving it another point takes a quarter of the
/// time of EVP_PKEY_fromdata (5 µs against 18 µs), and a key is made for every assertion. The full
/// EVP_PKEY_public_check would multiply by the group's order; the cofactor is 1, so that every
/// point of the curve but infinity is valid, and the quick check (SP 800-56A, 5.6.2.3.4) says as
/// much.
private func makeKey(x963: [UInt8]) -> OpaquePointer? {
    guard let key = EVP_PKEY_new(), EVP_PKEY_copy_parameters(key, generator.key) == 1 else {
        preconditionFailure("out of memory")
    }
    guard EVP_PKEY_set1_encoded_public_key(key, x963, x963.count) == 1,
        isOnCurve(key)
    else {
        EVP_PKEY_free(key)
        return nil
    }
    return key
}

/// Whether libcrypto finds the point on its curve, and not at infinity.
private func isOnCurve(_ key: OpaquePointer) -> Bool {
    guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { return false }
    defer { EVP_PKEY_CTX_free(context) }
    return EVP_PKEY_public_check_quick(context) == 1
}

/// The curve's base point as a key: where other keys get their parameters from.
private let generator = GeneratorKey()

private final class GeneratorKey: @unchecked Sendable {
    // `@unchecked`: libcrypto only reads a key that parameters are copied from.
    let key: OpaquePointer

    init() {
        let encoding = P256PublicKey.subjectPublicKeyInfoHeader + generatorPoint
        let key = encoding.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var position = bytes.baseAddress
            return d2i_PUBKEY(nil, &position, bytes.count)
        }
        guard let key else { preconditionFailure("libcrypto knows P-256") }
        self.key = key
    }

    deinit {
        EVP_PKEY_free(key)
    }
}

/// SEC 2, 2.4.2: G, uncompressed.
private let generatorPoint: [UInt8] = [
    0x04, 0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47, 0xF8, 0xBC, 0xE6, 0xE5, 0x63, 0xA4,
    0x40, 0xF2, 0x77, 0x03, 0x7D, 0x81, 0x2D, 0xEB, 0x33, 0xA0, 0xF4, 0xA1, 0x39, 0x45, 0xD8,
    0x98, 0xC2, 0x96, 0x4F, 0xE3, 0x42, 0xE2, 0xFE, 0x1A, 0x7F, 0x9B, 0x8E, 0xE7, 0xEB, 0x4A,
    0x7C, 0x0F, 0x9E, 0x16, 0x2B, 0xCE, 0x33, 0x57, 0x6B, 0x31, 0x5E, 0xCE, 0xCB, 0xB6, 0x40,
    0x68, 0x37, 0xBF, 0x51, 0xF5,
]
