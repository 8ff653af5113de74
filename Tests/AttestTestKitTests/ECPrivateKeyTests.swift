import LibCrypto
import Testing

/// Signatures against the examples of RFC 6979, A.2.5 and A.2.6.
@Suite struct `EC private key` {
    struct Example: Sendable {
        var curve: EllipticCurve
        var scalar: String
        var hash: HashFunction
        var message: String
        var r: String
        var s: String
    }

    static let p256Scalar = "C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721"
    static let p384Scalar =
        "6B9D3DAD2E1B8C1C05B19875B6659F4DE23C3B667BF297BA9AA47740787137D8"
        + "96D5724E4C70A825F872C9EA60D2EDF5"

    static let examples = [
        Example(
            curve: .p256, scalar: p256Scalar, hash: .sha256, message: "sample",
            r: "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716",
            s: "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"),
        Example(
            curve: .p256, scalar: p256Scalar, hash: .sha256, message: "test",
            r: "F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367",
            s: "019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083"),
        Example(
            curve: .p256, scalar: p256Scalar, hash: .sha384, message: "sample",
            r: "0EAFEA039B20E9B42309FB1D89E213057CBF973DC0CFC8F129EDDDC800EF7719",
            s: "4861F0491E6998B9455193E34E7B0D284DDD7149A74B95B9261F13ABDE940954"),
        Example(
            curve: .p384, scalar: p384Scalar, hash: .sha256, message: "sample",
            r: "21B13D1E013C7FA1392D03C5F99AF8B30C570C6F98D4EA8E354B63A21D3DAA33"
                + "BDE1E888E63355D92FA2B3C36D8FB2CD",
            s: "F3AA443FB107745BF4BD77CB3891674632068A10CA67E3D45DB2266FA7D1FEEB"
                + "EFDC63ECCD1AC42EC0CB8668A4FA0AB0"),
        Example(
            curve: .p384, scalar: p384Scalar, hash: .sha384, message: "sample",
            r: "94EDBB92A5ECB8AAD4736E56C691916B3F88140666CE9FA73D64C4EA95AD133C"
                + "81A648152E44ACF96E36DD1E80FABE46",
            s: "99EF4AEB15F178CEA1FE40DB2603138F130E740A19624526203B6351D0A3A94F"
                + "A329C145786E679E7B82C71A38628AC8"),
    ]

    @Test(arguments: examples)
    func `signs as RFC 6979 prescribes`(_ example: Example) throws {
        let key = try #require(
            ECPrivateKey(scalar: bytes(example.scalar), curve: example.curve))
        let (r, s) = key.signature(for: Array(example.message.utf8), hash: example.hash)
        #expect(r == bytes(example.r))
        #expect(s == bytes(example.s))
    }

    @Test func `knows its public point`() throws {
        let key = try #require(ECPrivateKey(scalar: bytes(Self.p256Scalar), curve: .p256))
        let x = "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"
        let y = "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299"
        #expect(key.publicPoint == bytes("04" + x + y))
        #expect(key.compressedPublicPoint == bytes("03" + x))
    }

    @Test(arguments: EllipticCurve.allCases)
    func `takes no scalar of another size, of zero, or above the order`(_ curve: EllipticCurve) {
        let count = curve.scalarByteCount
        #expect(ECPrivateKey(scalar: [], curve: curve) == nil)
        #expect(
            ECPrivateKey(scalar: [UInt8](repeating: 1, count: count + 1), curve: curve) == nil)
        #expect(ECPrivateKey(scalar: [UInt8](repeating: 0, count: count), curve: curve) == nil)
        #expect(ECPrivateKey(scalar: [UInt8](repeating: 255, count: count), curve: curve) == nil)
    }
}
