import SeededNumbers
import Testing
import Worker

/// The values that policies are written with.
@Suite struct PolicyValueTests {
    @Test(arguments: [
        ("7.9", "7.10"), ("7", "7.0.1"), ("0", "1"), ("1.2.3", "1.2.4"), ("009", "10"),
        ("99999999999999999999", "100000000000000000000"), ("1.0.0", "1.0.0.1"), ("0.9", "1"),
    ])
    func `build numbers are compared number by number`(lower: String, higher: String) throws {
        let (lower, higher) = (
            try #require(BundleVersion(lower)), try #require(BundleVersion(higher))
        )
        #expect(lower < higher)
        #expect(!(higher < lower))
        #expect(lower != higher)
    }

    @Test(arguments: [("7", "7.0"), ("7.0.0", "07"), ("0", "0.0"), ("1.10", "1.010")])
    func `how a build number is written makes no difference`(one: String, other: String) throws {
        let (one, other) = (try #require(BundleVersion(one)), try #require(BundleVersion(other)))
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(!(one < other))
        #expect(!(other < one))
    }

    @Test(arguments: ["", ".", "1.", ".1", "1..2", "1.2b", "-1", "+1", "1 ", "١", "1,2"])
    func `what is not made of numbers is no build number`(text: String) {
        #expect(BundleVersion(text) == nil)
    }

    @Test func `the order of build numbers is that of their lists of integers`() throws {
        var random = SplitMix64(seed: 5)
        func draw() -> [UInt64] {
            (0..<Int.random(in: 1...4, using: &random)).map { _ in
                UInt64.random(
                    in: 0...(1 << UInt64.random(in: 1...40, using: &random)), using: &random)
            }
        }
        func padded(_ numbers: [UInt64]) -> [UInt64] {
            numbers + Array(repeating: 0, count: 4 - numbers.count)
        }
        for _ in 0..<2000 {
            let one = draw()
            let other = Bool.random(using: &random) ? draw() : Array(one.dropLast()) + [0]
            func version(_ numbers: [UInt64]) throws -> BundleVersion {
                try #require(BundleVersion(numbers.map(String.init).joined(separator: ".")))
            }
            let isLower = padded(one).lexicographicallyPrecedes(padded(other))
            #expect((try version(one) < version(other)) == isLower, "\(one) \(other)")
            #expect((try version(one) == version(other)) == (padded(one) == padded(other)))
        }
    }

    @Test(arguments: [
        ("sha256:" + String(repeating: "0f", count: 32), UInt8(2), 32),
        ("sha1:" + String(repeating: "AB", count: 20), 1, 20),
        ("9:" + String(repeating: "00", count: 64), 9, 64),
    ])
    func `a code directory hash is its digest and its bytes`(
        text: String, type: UInt8, count: Int
    ) throws {
        let hash = try #require(CodeDirectoryHash(text))
        #expect(hash.type == type)
        #expect(hash.bytes.count == count)
        #expect(hash.text == text.lowercased())
        #expect(CodeDirectoryHash(hash.text) == hash)
    }

    @Test(arguments: [
        "", "sha256", "sha256:", "sha256:zz", ":" + String(repeating: "0", count: 64),
        "sha256:" + String(repeating: "0", count: 63), "256:" + String(repeating: "0", count: 64),
        "sha256:" + String(repeating: "0", count: 38),
        "sha256:" + String(repeating: "0", count: 130),
        "sha256:sha256:" + String(repeating: "0", count: 64),
    ])
    func `whatever else is none`(text: String) {
        #expect(CodeDirectoryHash(text) == nil)
    }

    @Test func `a category is known by name or number, and 0 is none`() {
        #expect(ValidationCategory("appStore") == .number(4))
        #expect(ValidationCategory("4") == .number(4))
        #expect(ValidationCategory.number(4).text == "appStore")
        #expect(ValidationCategory("7")?.text == "7")
        #expect(ValidationCategory("unknown")?.text == "unknown")
        for text in ["0", "-1", "04", "appstore", "", "4294967296"] {
            #expect(ValidationCategory(text) == nil, "\(text)")
        }
    }
}
