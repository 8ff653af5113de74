import FoundationEssentials
import SeededNumbers
import Testing
import Wire

@Suite struct Base64Tests {
    // RFC 4648 §10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
    func `the RFC's examples are read and written`(plain: String, text: String) {
        #expect(Base64.decode(text) == Array(plain.utf8))
        #expect(Base64.decode(String(text.prefix { $0 != "=" })) == Array(plain.utf8))
        #expect(Base64.encode(Array(plain.utf8)) == text)
    }

    @Test(arguments: [
        "A", "A=", "A==", "A===", "AA=", "AA===", "AAA==", "AAAA=", "AAAA==", "=", "==", "====",
        "AB", "AB==", "AAB", "AAB=", "A/", "QUJDRA=A", "QQ==QQ==", "QUJD\n", " QUJD", "QU JD",
        "QU\tJD", "QUJ\u{0}", "QUJ*", "QUJé", "+-AA", "_AA/", "QUJD.",
    ])
    func `any other spelling is refused`(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test func `both alphabets name the same bytes`() {
        #expect(Base64.decode("+/+/") == [0xFB, 0xFF, 0xBF])
        #expect(Base64.decode("-_-_") == [0xFB, 0xFF, 0xBF])
    }

    @Test func `what is encoded is decoded, in each spelling`() {
        let seed: UInt64 = 2026_11_30
        var generator = SplitMix64(seed: seed)
        for length in 0..<1000 {
            let bytes = generator.bytes(length)
            let text = Base64.encode(bytes)
            let url = String(text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
            for spelling in [text, url] {
                #expect(Base64.decode(spelling) == bytes, "seed \(seed), length \(length)")
                let bare = String(spelling.prefix { $0 != "=" })
                #expect(Base64.decode(bare) == bytes, "seed \(seed), length \(length)")
            }
        }
    }

    @Test func `where a random text is read, Foundation reads it too and writes the same`() {
        let seed: UInt64 = 7
        var generator = SplitMix64(seed: seed)
        let characters = Array("ABQZaz09+/-_= \n")
        var readable = 0
        for _ in 0..<20_000 {
            let length = Int.random(in: 0...8, using: &generator)
            let text = String(
                (0..<length).compactMap { _ in characters.randomElement(using: &generator) })
            guard let bytes = Base64.decode(text) else { continue }
            readable += 1
            var standard = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
            while standard.count % 4 != 0 { standard.append("=") }
            #expect(Data(base64Encoded: String(standard)).map { Array($0) } == bytes)
            #expect(Base64.encode(bytes) == String(standard), "seed \(seed)")
        }
        #expect(readable > 1000)
    }
}
