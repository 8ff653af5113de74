internal import Foundation

/// Private keys for tests, as their files are.
package enum SampleKeys {
    /// The key for RSA of RFC 7515, A.2.
    package static let rsa = RFC7515.pem(RFC7515.rsaKey)

    /// A key on P-256: another one for each number.
    package static func p256(_ number: UInt8) -> [UInt8] {
        // PKCS#8 (RFC 5208, 5) around an ECPrivateKey (RFC 5915, 3), up to the scalar.
        let header: [UInt8] = [
            0x30, 0x41, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D,
            0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x04, 0x27,
            0x30, 0x25, 0x02, 0x01, 0x01, 0x04, 0x20,
        ]
        let scalar = [UInt8](repeating: 0x11, count: 31) + [number]
        return RFC7515.pem([Data(header + scalar).base64EncodedString()])
    }
}
