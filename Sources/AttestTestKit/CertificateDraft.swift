import AppAttest
import FoundationEssentials
import LibCrypto

/// An X.509 certificate (RFC 5280) that is not signed yet: everything in it can be changed.
struct CertificateDraft {
    var serialNumber: [UInt8]
    var issuer: [UInt8]
    var subject: [UInt8]
    var notBefore: Instant
    var notAfter: Instant
    var publicKeyInfo: [UInt8]
    var extensions: [CertificateExtension]

    /// The signed certificate in DER.
    func signed(by key: ECPrivateKey, hash: HashFunction) -> [UInt8] {
        let algorithm = DER.sequence(
            hash == .sha256 ? ObjectIdentifiers.ecdsaWithSHA256 : ObjectIdentifiers.ecdsaWithSHA384)
        let body = DER.sequence(
            DER.explicit(0, DER.integer(2)),
            DER.integer(serialNumber),
            algorithm,
            issuer,
            DER.sequence(Self.time(notBefore), Self.time(notAfter)),
            subject,
            publicKeyInfo,
            DER.explicit(3, DER.sequence(extensions.map(\.encoded))))
        return DER.sequence(body, algorithm, DER.bitString(key.encodedSignature(body, hash: hash)))
    }

    /// Puts an extension in the place of the one of the same kind, or at the end.
    mutating func replace(_ replacement: CertificateExtension) {
        if let place = extensions.firstIndex(where: { $0.identifier == replacement.identifier }) {
            extensions[place] = replacement
        } else {
            extensions.append(replacement)
        }
    }

    /// Takes out the extensions of a kind.
    mutating func remove(_ identifier: [UInt8]) {
        extensions.removeAll { $0.identifier == identifier }
    }

    /// A name of its parts, in the order of Apple's certificates.
    static func name(commonName: String, organizationalUnit: String? = nil) -> [UInt8] {
        var parts = [(ObjectIdentifiers.commonName, commonName)]
        if let organizationalUnit {
            parts.append((ObjectIdentifiers.organizationalUnit, organizationalUnit))
        }
        parts.append((ObjectIdentifiers.organization, "Attest Test Kit"))
        parts.append((ObjectIdentifiers.stateOrProvince, "Nowhere"))
        return DER.sequence(
            parts.map { DER.set(DER.sequence($0.0, DER.utf8String($0.1))) })
    }

    /// The subject public key info of a point on a curve.
    static func publicKeyInfo(point: [UInt8], on curve: EllipticCurve) -> [UInt8] {
        let curveName =
            switch curve {
            case .p256: ObjectIdentifiers.prime256v1
            case .p384: ObjectIdentifiers.secp384r1
            }
        return DER.sequence(
            DER.sequence(ObjectIdentifiers.ecPublicKey, curveName), DER.bitString(point))
    }

    /// UTCTime from 1950 to 2049, GeneralizedTime otherwise (RFC 5280, 4.1.2.5); whole seconds.
    private static func time(_ instant: Instant) -> [UInt8] {
        let seconds = instant.milliseconds.flooredDivision(by: 1000)
        let text = Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(
            .iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
        let digits = Array(text.utf8.filter { $0 != UInt8(ascii: "T") })
        guard utcTimeSeconds.contains(seconds) else { return DER.element(tag: [0x18], digits) }
        return DER.element(tag: [0x17], Array(digits.dropFirst(2)))
    }

    /// From 1950-01-01 to before 2050-01-01: years that two digits tell apart.
    private static let utcTimeSeconds: Range<Int64> = -631_152_000..<2_524_608_000
}

extension ECPrivateKey {
    /// A signature as DER: SEQUENCE of both numbers (RFC 3279, 2.2.3).
    func encodedSignature(_ message: [UInt8], hash: HashFunction) -> [UInt8] {
        let (r, s) = signature(for: message, hash: hash)
        return DER.sequence(DER.integer(r), DER.integer(s))
    }

    /// The subject public key info of the key's point.
    var publicKeyInfo: [UInt8] {
        CertificateDraft.publicKeyInfo(point: publicPoint, on: curve)
    }
}

extension Int64 {
    /// Division that rounds down, also below zero.
    fileprivate func flooredDivision(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
