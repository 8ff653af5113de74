import Testing

/// `docs/bug-reports.md` tells which test shows what: it may name none that isn't there.
@Suite struct BugReportsTests {
    private static let page = Repository.file("docs/bug-reports.md")
    private static let tests = Repository.files(in: "Tests", "swift")

    /// How many reports there are.
    private static let count = 68

    @Test func `every report is answered once, in order`() throws {
        let page = try #require(Self.page)
        let numbers = page.text.matches(of: /(?m)^\| (\d+) \|/).compactMap { Int($0.output.1) }
        #expect(numbers == Array(1...Self.count))
    }

    @Test func `no report waits for its test`() throws {
        let page = try #require(Self.page)
        let text = page.text.lowercased()
        for words in ["not covered", "not tested", "not yet", "no test"] {
            #expect(!text.contains(words), "a report is \(words)")
        }
    }

    @Test func `every test that the page names exists`() throws {
        let page = try #require(Self.page)
        let references = page.text.matches(of: /`(\w+)`: "([^"|]+)"/)
        #expect(references.count > 40, "the references are found")
        for reference in references {
            let (_, file, name) = reference.output
            let home = Self.tests.first { $0.path.hasSuffix("/\(file).swift") }
            #expect(home?.text.contains("func `\(name)`(") == true, "\(file): \(name)")
        }
    }
}
