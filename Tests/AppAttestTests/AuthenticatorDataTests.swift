import AppAttest
import LibCrypto
import Testing

@Suite struct AuthenticatorDataTests {
    private static let idHash = [UInt8](repeating: 0xAB, count: 32)
    private static let credentialID = [UInt8](repeating: 0xCD, count: 32)
    private static let key =
        hex("a5 0102 0326 2001 215820") + [UInt8](repeating: 1, count: 32)
        + hex("225820") + [UInt8](repeating: 2, count: 32)

    private static func attestation(
        flags: UInt8 = 0x40, key: [UInt8] = key, extensions: [UInt8] = []
    ) -> [UInt8] {
        idHash + [flags] + hex("00000000") + Array("appattestdevelop".utf8) + hex("0020")
            + credentialID + key + extensions
    }

    private static func assertion(flags: UInt8 = 0x40, extensions: [UInt8] = []) -> [UInt8] {
        idHash + [flags] + hex("fffffffe") + extensions
    }

    /// A map of the known extension names with the given values, and nothing else.
    private static func map(_ values: [(SignedExtensions.Name, String)]) -> [UInt8] {
        values.reduce(into: [0xA0 + UInt8(values.count)]) { bytes, value in
            let name = Array(value.0.rawValue.utf8)
            bytes += name.count < 24 ? [0x60 + UInt8(name.count)] : [0x78, UInt8(name.count)]
            bytes += name
            bytes += hex(value.1)
        }
    }

    @Test func `an attestation's parts lie where the table says`() throws {
        let bytes = Self.attestation()
        #expect(bytes.count == 164)
        let data = try AttestationAuthenticatorData(parsing: bytes[...])
        #expect(data.head.relyingPartyIDHash.digest.bytes == Self.idHash)
        #expect(data.head.flags == 0x40)
        #expect(data.head.signCount == 0)
        #expect(data.environment == .development)
        #expect(data.credentialID.elementsEqual(Self.credentialID))
        #expect(data.coseKey.entries.count == 5)
        #expect(data.extensions.validationCategory == nil)
    }

    @Test func `a sign count is unsigned`() throws {
        let data = try AssertionAuthenticatorData(parsing: Self.assertion()[...])
        #expect(data.head.signCount == 0xFFFF_FFFE)
    }

    @Test func `every cut is refused`() {
        for count in 0..<87 {
            #expect(throws: AuthenticatorDataFault.truncated) {
                try AttestationAuthenticatorData(parsing: Self.attestation().prefix(count))
            }
        }
        for count in 87..<164 {
            #expect(throws: AuthenticatorDataFault.key(.truncated)) {
                try AttestationAuthenticatorData(parsing: Self.attestation().prefix(count))
            }
        }
        for count in 0..<37 {
            #expect(throws: AuthenticatorDataFault.truncated) {
                try AssertionAuthenticatorData(parsing: Self.assertion().prefix(count))
            }
        }
    }

    @Test func `a key that is no map is refused`() {
        #expect(throws: AuthenticatorDataFault.key(nil)) {
            try AttestationAuthenticatorData(parsing: Self.attestation(key: [0x01])[...])
        }
        #expect(throws: AuthenticatorDataFault.key(.duplicateKey)) {
            try AttestationAuthenticatorData(
                parsing: Self.attestation(key: hex("a2 0102 0102"))[...])
        }
    }

    @Test(arguments: [0x00, 0x01, 0x40, 0x80, 0xC0, 0xFF] as [UInt8])
    func `extensions are read whatever the flags say`(flags: UInt8) throws {
        let extensions = Self.map([(.validationCategory, "4404000000")])
        let attested = try AttestationAuthenticatorData(
            parsing: Self.attestation(flags: flags, extensions: extensions)[...])
        let asserted = try AssertionAuthenticatorData(
            parsing: Self.assertion(flags: flags, extensions: extensions)[...])
        #expect(attested.extensions.validationCategory == 4)
        #expect(asserted.extensions.validationCategory == 4)
    }

    @Test func `the extension flag with nothing following is refused`() {
        #expect(throws: AuthenticatorDataFault.extensionsMissing) {
            try AttestationAuthenticatorData(parsing: Self.attestation(flags: 0xC0)[...])
        }
        #expect(throws: AuthenticatorDataFault.extensionsMissing) {
            try AssertionAuthenticatorData(parsing: Self.assertion(flags: 0x80)[...])
        }
    }

    @Test(arguments: [
        ("00", AuthenticatorDataFault.extensions(nil)), ("80", .extensions(nil)),
        ("a1", .extensions(.truncated)), ("a000", .extensions(.trailingBytes(count: 1))),
        ("a0a0", .extensions(.trailingBytes(count: 1))), ("bfff", .extensions(.indefiniteLength)),
        ("a1 01 00", .extensionKeyType), ("a2 6161 00 01 00", .extensionKeyType),
    ])
    func `what follows is one map with text keys or nothing`(
        digits: String, fault: AuthenticatorDataFault
    ) {
        #expect(throws: fault) {
            try AttestationAuthenticatorData(
                parsing: Self.attestation(extensions: hex(digits))[...])
        }
        #expect(throws: fault) {
            try AssertionAuthenticatorData(parsing: Self.assertion(extensions: hex(digits))[...])
        }
    }

    @Test func `known extensions are read and unknown ones let pass`() throws {
        let known = Self.map([
            (.validationCategory, "4403000000"), (.bundleVersion, "6431333134"),
            (.cdHash, "43010203"), (.cdHashType, "4102"),
        ])
        // A fifth entry with an unknown name and a nested value.
        let bytes = [0xA5] + known.dropFirst() + hex("6161 a1 6162 81 f5")
        let extensions = try AssertionAuthenticatorData(
            parsing: Self.assertion(extensions: bytes)[...]
        ).extensions
        #expect(extensions.validationCategory == 3)
        #expect(extensions.bundleVersion == "1314")
        #expect(extensions.cdHash == [1, 2, 3])
        #expect(extensions.cdHashType == 2)
    }

    @Test(
        arguments: [
            ("4400000000", 0), ("44ffffffff", .max), ("4401020304", 0x0403_0201), ("04", 4),
            ("1affffffff", .max),
        ] as [(String, UInt32)])
    func `a category is four bytes, last first, or an integer`(
        digits: String, category: UInt32
    ) throws {
        let bytes = Self.assertion(extensions: Self.map([(.validationCategory, digits)]))
        let data = try AssertionAuthenticatorData(parsing: bytes[...])
        #expect(data.extensions.validationCategory == category)
    }

    @Test(arguments: [
        (SignedExtensions.Name.validationCategory, "40"), (.validationCategory, "43030000"),
        (.validationCategory, "450300000000"), (.validationCategory, "20"),
        (.validationCategory, "6133"), (.validationCategory, "f6"),
        (.validationCategory, "1b0000000100000000"), (.bundleVersion, "01"),
        (.bundleVersion, "4131"), (.bundleVersion, "623100"), (.cdHash, "6131"), (.cdHash, "f6"),
        (.cdHashType, "02"), (.cdHashType, "40"), (.cdHashType, "420200"),
    ])
    func `an extension of another type or size is refused`(
        name: SignedExtensions.Name, digits: String
    ) {
        #expect(throws: AuthenticatorDataFault.extensionValue(name)) {
            try AssertionAuthenticatorData(
                parsing: Self.assertion(extensions: Self.map([(name, digits)]))[...])
        }
    }

    @Test func `long texts and hashes are refused`() {
        let tooLong = SignedExtensions.bundleVersionByteCountMax + 1
        let text = "790101" + String(repeating: "31", count: tooLong)
        let hash = "5841" + String(repeating: "00", count: SignedExtensions.cdHashByteCountMax + 1)
        for (name, digits) in [(SignedExtensions.Name.bundleVersion, text), (.cdHash, hash)] {
            #expect(throws: AuthenticatorDataFault.extensionValue(name)) {
                try AssertionAuthenticatorData(
                    parsing: Self.assertion(extensions: Self.map([(name, digits)]))[...])
            }
        }
    }
}
