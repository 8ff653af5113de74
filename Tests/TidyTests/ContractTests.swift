import Testing

/// The README tells of each field and error of the gateway's contract whether it is served, and by
/// which test: it may name none that isn't there, and leave none out that the code has.
@Suite struct ContractTests {
    private static let page = Repository.file("README.md")
    private static let tests = Repository.files(in: "Tests", "swift")

    /// The lines of the section, from its heading to the next.
    private static func section() throws -> [String] {
        let lines = try #require(page).lines
        let start = try #require(lines.firstIndex(of: "## A gateway that is there already"))
        return Array(lines[(start + 1)...].prefix { !$0.hasPrefix("## ") })
    }

    @Test func `every row has a test that exists`() throws {
        let rows = try Self.section().filter { $0.hasPrefix("| ") && !$0.hasPrefix("| --- ") }
            .filter { !$0.hasSuffix("by the test |") }
        #expect(rows.count > 25, "the tables are found")
        for row in rows {
            let last = try #require(row.dropLast(2).split(separator: " | ").last)
            let names = last.matches(of: /`(\w+)`: "([^"|]+)"/)
            let isLikeAnother = last.contains("the same") || last.contains("`, as ")
            #expect(!names.isEmpty || isLikeAnother, "no test in \(row)")
            for name in names {
                let (_, file, test) = name.output
                let home = Self.tests.first { $0.path.hasSuffix("/\(file).swift") }
                #expect(home?.text.contains("func `\(test)`(") == true, "\(file): \(test)")
            }
        }
    }

    @Test func `methods and codes of the code are in the tables`() throws {
        let text = try Self.section().joined(separator: "\n")
        let methods = try #require(Repository.file("Sources/Gateway/Contract/Route.swift"))
            .text.matches(of: /(?m)^    case (\w+)$/).map(\.output.1)
            .filter { !["v1", "v1beta"].contains($0) }
        #expect(methods.count == 7)
        for method in methods {
            #expect(
                text.contains(":\(method)`") || text.contains(":\(method)`:")
                    || text.contains("/v1/\(method)`"), "\(method) is served, and not in the README"
            )
        }
        let codes = try #require(Repository.file("Sources/Gateway/Contract/Refusal.swift"))
            .text.matches(of: /(?m)^        case \w+ = "([A-Z_]+)"$/).map(\.output.1)
        #expect(codes.count == 8)
        for code in codes { #expect(text.contains("`\(code)`"), "\(code)") }
    }

    @Test func `what gateways are told elsewhere names tests that exist`() throws {
        let page = try #require(Repository.file("docs/gateway.md"))
        let text = page.text.replacing("\n", with: " ")
        let names = text.matches(of: /`(\w+)`: "([^"|]+)"/)
        #expect(names.count > 2, "the references are found")
        for name in names {
            let (_, file, test) = name.output
            let home = Self.tests.first { $0.path.hasSuffix("/\(file).swift") }
            #expect(home?.text.contains("func `\(test)`(") == true, "\(file): \(test)")
        }
        #expect(!page.text.contains("| HTTP | status |"), "the table has one home")
    }
}
