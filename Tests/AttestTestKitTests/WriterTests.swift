import AppAttest
import LibCrypto
import Testing

@testable import AttestTestKit

/// What the writers write, against examples of the standards and their own limits.
@Suite struct `Writers` {
    /// RFC 8949, appendix A, and the borders between the sizes of heads.
    @Test(
        arguments: [
            (.unsigned(0), "00"), (.unsigned(23), "17"), (.unsigned(24), "1818"),
            (.unsigned(255), "18ff"), (.unsigned(256), "190100"), (.unsigned(65535), "19ffff"),
            (.unsigned(65536), "1a00010000"), (.unsigned(0xFFFF_FFFF), "1affffffff"),
            (.unsigned(0x1_0000_0000), "1b0000000100000000"), (.negative(0), "20"),
            (.negative(99), "3863"), (.bytes([1, 2, 3, 4]), "4401020304"), (.text("ü"), "62c3bc"),
            (.array([.unsigned(1), .array([.unsigned(2)])]), "82018102"),
            (.map([(.text("a"), .unsigned(1)), (.text("b"), .array([]))]), "a2616101616280"),
            (.tag(1, .unsigned(1_363_896_240)), "c11a514b67b0"), (.verbatim([0xFF]), "ff"),
        ] as [(CBOR, String)])
    func `encode CBOR in the shortest form`(_ item: CBOR, _ expected: String) {
        #expect(item.encoded == bytes(expected))
    }

    /// ITU-T X.690, 8.3, 8.19 and 8.1.2, and what Apple's certificates have.
    @Test(
        arguments: [
            (DER.integer(0), "020100"), (DER.integer(127), "02017f"),
            (DER.integer(128), "02020080"),
            (DER.integer([0x00, 0x00, 0x80, 0x00]), "0203008000"), (DER.integer([]), "020100"),
            (DER.objectIdentifier([2, 5, 29, 19]), "0603551d13"),
            (DER.objectIdentifier([1, 2, 840, 113635, 100, 8, 2]), "06092a864886f763640802"),
            (DER.explicit(30, DER.null), "be020500"), (DER.explicit(31, DER.null), "bf1f020500"),
            (DER.explicit(1204, DER.null), "bf8934020500"), (DER.sequence(DER.yes), "30030101ff"),
            (DER.bitString([0xAB]), "030200ab"), (DER.set(DER.null), "31020500"),
        ])
    func `encode DER`(_ element: [UInt8], _ expected: String) {
        #expect(element == bytes(expected))
    }

    @Test(
        arguments: [
            (0, "0400"), (127, "047f"), (128, "048180"), (255, "0481ff"), (256, "04820100"),
            (65535, "0482ffff"), (65536, "0483010000"),
        ])
    func `give DER lengths in the shortest form`(_ count: Int, _ head: String) {
        let string = [UInt8](repeating: 7, count: count)
        #expect(DER.octetString(string) == bytes(head) + string)
    }

    /// UTCTime ends with 2049; libcrypto reads the moment back.
    @Test(
        arguments: [
            -631_152_001, -631_152_000, -1, 0, 951_782_400, 1_790_000_000, 2_524_607_999,
            2_524_608_000, 253_402_300_799,
        ] as [Int64])
    func `write moments that libcrypto reads back`(_ seconds: Int64) throws {
        let authority = TestAuthority(seed: 1)
        var draft = authority.intermediateDraft(at: Instant(seconds: 0))
        draft.notBefore = Instant(milliseconds: seconds * 1000 + 999)
        draft.notAfter = Instant(seconds: seconds)
        let certificate = try #require(
            Certificate(der: draft.signed(by: authority.rootKey, hash: .sha384)))
        #expect(certificate.notBefore == seconds)
        #expect(certificate.notAfter == seconds)
    }

    /// The content of extension 100.8.6 as Apple documents it for macOS.
    @Test func `write the access control of a Mac`() {
        let documented = """
            3046a344044230400c023131303a30090c026f6ba1030101ff30090c026f61a1030101ff300b0c046f64\
            656ca1030101ff30150c046f73676ea0060c04727365633005a603020101
            """
        #expect(AccessControl(.macOS27)?.certificateExtension.value == bytes(documented))
    }
}
