import Testing

/// `SECURITY.md` tells which test shows that an attack fails: it may name none that isn't there.
@Suite struct SecurityTests {
    private static let page = Repository.file("SECURITY.md")
    private static let tests = Repository.files(in: "Tests", "swift")

    @Test func `every attack of the table has a test that exists`() throws {
        let page = try #require(Self.page)
        let lines = page.text.split(separator: "\n")
        let start = try #require(lines.firstIndex(of: "| attack | check | test |"))
        let rows = lines[(start + 2)...].prefix { $0.hasPrefix("|") }
        #expect(rows.count > 20, "the table is found")
        for row in rows {
            let reference = try #require(
                row.firstMatch(of: /\| `(\w+)`: "([^"|]+)" \|$/), "no test in \(row)")
            let (_, file, name) = reference.output
            let home = Self.tests.first { $0.path.hasSuffix("/\(file).swift") }
            let isThere =
                home?.text.contains("func `\(name)`(") == true
                // A behaviour of the suite that both key stores must pass.
                || home?.text.contains("KeyStoreBehaviour(\"\(name)\")") == true
            #expect(isThere, "\(file): \(name)")
        }
    }
}
