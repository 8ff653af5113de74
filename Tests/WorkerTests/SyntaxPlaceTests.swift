import Testing

@testable import Worker

@Suite struct SyntaxPlaceTests {
    @Test(arguments: [
        ("{ a: 1,\n  b: [1 2],\n}", 2, 9, "a comma or \"]\" is missing"),
        ("{ a: 1,\n\n b", 3, 3, "the text ends too early: a colon is missing behind the key"),
        ("{ a: 'x }", 1, 6, "this quote is never closed"),
        ("{ a: 1 }\n}", 2, 1, "nothing more may follow"),
        ("", 1, 1, "the text ends too early: a value is missing"),
        ("{ // all\n /* a: 1 }", 2, 2, "this comment is never closed"),
        ("{\n a: {\n  b: 1,\n", 2, 5, "this \"{\" is never closed"),
        ("{ größe: 1, ü 2 }", 1, 15, "a colon is missing behind the key"),
        ("{ a: , }", 1, 6, "a value is missing"),
        ("{ a: 1 b: 2 }", 1, 8, "a comma or \"}\" is missing"),
        ("[ 1, { a: 'it\\'s' ] }", 1, 19, "a comma or \"}\" is missing"),
        ("{ = 1 }", 1, 3, "a key or \"}\" is missing"),
    ])
    func `a place is told`(text: String, line: Int, column: Int, problem: String) throws {
        #expect(throws: SettingSyntaxError.self) {
            try SettingValue(parsingJSON5: Array(text.utf8))
        }
        let place = try #require(SyntaxPlace(in: Array(text.utf8)))
        #expect((place.line, place.column) == (line, column))
        #expect(place.problem == problem)
    }

    @Test(arguments: [
        "{}", "[]", "{ a: 1, }", "{ 'a': \"b\", c: [1, 2.5, -3, +.5, 0x1F, Infinity,], }",
        "// c\n{ a /* b */ : /**/ true } // d", "{ a: 'x\\\ny' }", "'it\\'s'",
    ])
    func `what the decoder takes has no such place`(text: String) throws {
        _ = try SettingValue(parsingJSON5: Array(text.utf8))
        #expect(SyntaxPlace(in: Array(text.utf8)) == nil)
    }

    /// Whatever it is, it ends and does not trap.
    @Test func `every cut and every changed byte of a file is looked at`() {
        let text = Array("{ a: [1, 'x\\'', { \"b\": null /* c */ }], // d\n e: 0x1F, }".utf8)
        for end in text.indices {
            _ = SyntaxPlace(in: Array(text[..<end]))
            for byte in "{}[]'\"\\/*,: \n\u{80}".utf8 {
                var changed = text
                changed[end] = byte
                _ = SyntaxPlace(in: changed)
            }
        }
        #expect(SyntaxPlace(in: Array(repeating: UInt8(ascii: "["), count: 100_000)) != nil)
    }
}
