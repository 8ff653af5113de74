import AppAttest
import LibCrypto
import Testing
import Wire
import Worker

/// The file of revocations: all of it or nothing.
@Suite struct RevocationListTests {
    private static let keyID = KeyID(SHA256.hash([1]))
    private static let whole = """
        attest-revocations 1
        # stolen on the way

        key \(keyID.text)
        certificate 01:93:A5:f0
        \tapp   TEAM.com.example.app\r
        end 3

        """

    private func read(_ text: String) throws(RevocationList.Unreadable) -> RevocationList {
        try RevocationList(parsing: Array(text.utf8))
    }

    @Test func `keys, certificates and apps are read`() throws {
        let list = try read(Self.whole)
        #expect(list.keys == [Self.keyID])
        #expect(list.certificates == [CertificateSerial([0, 0x01, 0x93, 0xA5, 0xF0])])
        #expect(list.apps == ["TEAM.com.example.app"])
        #expect(list.count == 3)
        #expect(list.version == SHA256.hash(Array(Self.whole.utf8)).bytes.prefix(6).hexadecimal)
        #expect(list == (try read(Self.whole)))
        #expect(list != RevocationList.none)
        #expect(try read("attest-revocations 1\nend 0").count == 0)
    }

    @Test func `no part of a file is taken for a whole one`() throws {
        let bytes = Array(Self.whole.utf8)
        // Up to the digit behind `end`, what is missing is no more than the last newlines.
        let last = try #require(bytes.lastIndex(of: UInt8(ascii: "3")))
        for count in 0...last {
            #expect(throws: RevocationList.Unreadable.self, "\(count) bytes") {
                try RevocationList(parsing: Array(bytes.prefix(count)))
            }
        }
        _ = try RevocationList(parsing: Array(bytes.prefix(last + 1)))
    }

    @Test(
        arguments: [
            ("key AAAA", 2, "base64 of 32 bytes"), ("key", 2, "must be one of"),
            ("certificate xyz", 2, "hexadecimal digits"),
            ("certificate " + String(repeating: "0", count: 41), 2, "hexadecimal digits"),
            ("certificate :", 2, "hexadecimal digits"),
            ("app nodot", 2, "an app id"), ("application TEAM.app", 2, "must be one of"),
            ("key a b", 2, "must be one of"), ("end 1", 2, "`end 0`"), ("end -0x", 2, "`end 0`"),
            ("end 0\nkey a", 3, "stands behind"), ("\u{FFFD}key a", 2, "must be one of"),
        ])
    func `a line that can't be read is told by its number, and nothing of it`(
        lines: String, number: Int, rule: String
    ) {
        let problem = #expect(throws: RevocationList.Unreadable.self) {
            try read("attest-revocations 1\n\(lines)\nend 0\n")
        }
        #expect(problem?.line == number)
        #expect(problem?.rule.contains(rule) == true, "\(problem?.rule ?? "")")
        #expect(problem?.description.contains("AAAA") == false)
    }

    @Test func `a list from another system's editor is read, or told why not`() throws {
        let text = "attest-revocations 1\r\ncertificate 0a\r\ncertificate 0A\r\nend 2\r\n"
        let list = try read(text)
        #expect(list.count == 1, "twice the same entry is one, and counts twice in the last line")
        for (bytes, line) in [
            ([0xEF, 0xBB, 0xBF] + Array(text.utf8), 1), (Array(text.utf8) + [0], 5),
            (Array(text.replacing("0a", with: "0\0a").utf8), 2),
            (Array(repeating: 0, count: 100), 1),
        ] {
            let problem = #expect(throws: RevocationList.Unreadable.self) {
                try RevocationList(parsing: bytes)
            }
            #expect(problem?.line == line)
        }
    }

    @Test func `other files are no lists`() {
        for text in ["", "\n", "[]", "attest-revocations 2\nend 0\n", "end 0\n"] {
            #expect(throws: RevocationList.Unreadable.self) { try read(text) }
        }
        #expect(throws: RevocationList.Unreadable.self) {
            try RevocationList(parsing: [0xFF, 0xFE, 10])
        }
    }

    @Test func `one entry too many refuses the list`() throws {
        let entry = "certificate 1\n"
        let most = RevocationList.entriesMax
        let lines = String(repeating: entry, count: most)
        #expect(try read("attest-revocations 1\n\(lines)end \(most)").count == 1)
        let problem = #expect(throws: RevocationList.Unreadable.self) {
            try read("attest-revocations 1\n\(lines)\(entry)end \(most + 1)")
        }
        #expect(problem?.line == most + 2)
    }
}
