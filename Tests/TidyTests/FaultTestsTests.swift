import Testing

/// `docs/fault-tests.md` tells where each fault is made: it may name nothing that isn't there.
@Suite struct FaultTestsTests {
    private static let page = Repository.file("docs/fault-tests.md")
    private static let tests = Repository.files(in: "Tests", "swift")

    @Test func `every test that the page names exists`() throws {
        let page = try #require(Self.page)
        let references = page.text.matches(of: /`(\w+)`: "([^"|]+)"/)
        #expect(references.count > 25, "the references are found")
        for reference in references {
            let (_, file, name) = reference.output
            let home = Self.tests.first { $0.path.hasSuffix("/\(file).swift") }
            #expect(home?.text.contains("func `\(name)`(") == true, "\(file): \(name)")
        }
    }

    @Test func `every kind of the soak's faults is on the page, and no other`() throws {
        let page = try #require(Self.page)
        let kinds = try #require(Self.tests.first { $0.path.hasSuffix("/Soak/FaultKind.swift") })
        let named = page.text.matches(of: /soak `([a-z-]+)`/).map { String($0.output.1) }
        var declared: [String] = []
        for line in kinds.lines where line.hasPrefix("    case ") {
            for word in line.dropFirst("    case ".count).split(separator: ",") {
                let parts = word.split(separator: "=").map { $0.filter { !" \"".contains($0) } }
                declared += parts.suffix(1)
            }
        }
        #expect(declared.count > 15, "the kinds are found")
        #expect(named.sorted() == declared.sorted())
    }
}
