import Testing

/// `docs/policies.md` has one table of all policies: each of its rows must hold.
@Suite struct PoliciesTests {
    private static let page = Repository.file("docs/policies.md")
    private static let tests = Repository.files(in: "Tests", "swift")

    private struct Row {
        var settings: [String]
        var reasons: [String]
        var test: (file: String, name: String)?
    }

    private func rows() throws -> [Row] {
        let page = try #require(Self.page)
        let lines = page.text.split(separator: "\n")
        let start = try #require(
            lines.firstIndex { $0.hasPrefix("| policy | settings of the app") })
        return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            let cells = line.split(separator: "|").map(String.init)
            func codes(_ place: Int) -> [String] {
                guard cells.indices.contains(place) else { return [] }
                return cells[place].matches(of: /`([A-Za-z_.]+)`/).map { String($0.output.1) }
            }
            let test = line.firstMatch(of: /\| `(\w+)`: "([^"|]+)" \|$/)
            return Row(
                settings: codes(1), reasons: codes(3),
                test: test.map { (String($0.output.1), String($0.output.2)) })
        }
    }

    @Test func `each row names settings, reasons and a test that exist`() throws {
        let rows = try rows()
        #expect(rows.count >= 10, "the table is found")
        let settings = try #require(Repository.file("docs/settings.md")).text
        let app = try #require(settings.split(separator: "\n## One app").last)
        let schema = try #require(Repository.file("schemas/verdict.schema.json")).text
        for row in rows {
            #expect(!row.settings.isEmpty && !row.reasons.isEmpty)
            for key in row.settings { #expect(app.contains("### `\(key)`\n"), "\(key)") }
            for code in row.reasons { #expect(schema.contains("\"\(code)\""), "\(code)") }
            let test = try #require(row.test, "no test beside \(row.settings)")
            let home = Self.tests.first { $0.path.hasSuffix("/\(test.file).swift") }
            #expect(home?.text.contains("func `\(test.name)`(") == true, "\(test)")
        }
    }

    /// Whoever adds a policy tells of it: a setting that is one has a mode, or a choice of its own.
    @Test func `each policy among the settings has its row`() throws {
        let told = Set(try rows().flatMap(\.settings))
        let settings = try #require(Repository.file("docs/settings.md")).text
        let app = try #require(settings.split(separator: "\n## One app").last)
        let keys = app.matches(of: /### `([A-Za-z.]+)`/).map { String($0.output.1) }
        #expect(keys.count > 15, "the settings are found")
        let identity = ["trustAnchor", "receiptTrustAnchor", "simulated", "resources"]
        // What an app is given is nothing that it must keep.
        for key in keys where !identity.contains(key) && !key.hasPrefix("tokens.") {
            #expect(told.contains(key), "\(key)")
        }
    }
}
