import Foundation
import Testing
import Wire
import Worker

@Suite struct TidyTests {
    @Test func `imports run one way, and C libraries are imported at home only`() {
        #expect(Repository.swift.flatMap(Rules.wrongImports) == [])
    }

    @Test func `nothing traps on input or hides an error`() {
        #expect(Repository.swift.flatMap(Rules.forbiddenCode) == [])
    }

    @Test func `nothing is left undone, and no path is of one machine`() {
        #expect(Repository.everything.flatMap(Rules.leftovers) == [])
    }

    @Test func `files, lines and functions are short enough to read`() {
        #expect(Repository.swift.flatMap(Rules.sizes) == [])
        #expect(Repository.swift.flatMap(Rules.longFunctions) == [])
    }

    @Test func `every target of the manifest is in the table of imports`() throws {
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: Repository.root.appending(path: "Sources").path())
        let targets = folders.filter {
            !["CCrypto", "CCurl", "CMicrohttpd", "CPQ", "CRdkafka"].contains($0)
        }
        #expect(Set(targets) == Set(Rules.imports.keys))
    }

    /// The test kit's lies carry the reason that each of them must get; the tests hold them to it.
    static let testsAndLies =
        Repository.files(in: "Sources/AttestTestKit", "swift")
        + Repository.files(in: "Tests", "swift", "json").filter {
            !$0.path.hasPrefix("Tests/TidyTests/")
        }

    @Test(arguments: Reason.all)
    func `every reason has a test that speaks of it`(reason: Reason) {
        let name =
            switch reason {
            case .verification(let code): "\(code)"
            case .worker(let code): "\(code)"
            }
        let speaks = Self.testsAndLies.contains { file in
            file.text.contains(".\(name)") || file.text.contains("\"\(reason.code)\"")
        }
        #expect(speaks)
    }

    static let schema = Repository.file("schemas/verdict.schema.json")

    @Test(.enabled(if: schema != nil), arguments: Reason.all.map(\.code))
    func `every reason is in the verdict's schema`(code: String) throws {
        let schema = try #require(Self.schema)
        #expect(schema.text.contains("\"\(code)\""))
    }

    /// What the sources write is described, and what is described is written.
    @Test func `every log event of the sources is described, and no other`() {
        let files = Repository.files(in: "Sources", "swift").filter {
            // Findings have levels and subjects too.
            !$0.path.hasPrefix("Sources/Worker/StartUp/")
                && !$0.path.hasPrefix("Sources/Worker/Log/")
        }
        let call = /(?:\.(?:debug|info|warning|error)|level),\s*"([a-z_]+)"/
        let written = Set(files.flatMap { $0.text.matches(of: call).map { String($0.output.1) } })
        #expect(written == Set(LogEvents.all.map(\.name)), "see LogEvents.swift")
    }

    static let readme = Repository.file("README.md")

    @Test(
        .enabled(if: readme != nil), arguments: ["deploy/demo.sh", "deploy/test.sh"])
    func `the README names the scripts, and they can be run`(script: String) throws {
        let readme = try #require(Self.readme)
        #expect(readme.text.contains(script))
        #expect(
            FileManager.default.isExecutableFile(
                atPath: Repository.root.appending(path: script).path()))
    }

    @Test func `links between documents lead somewhere`() {
        let pages = Repository.everything.filter {
            $0.path.hasSuffix(".md") && !$0.path.contains(".docc/")
        }
        let broken = pages.flatMap { page in
            page.text.matches(of: /\]\(([^)#:\s]+)(?:#[^)]*)?\)/).compactMap { match -> String? in
                let target = Repository.root.appending(path: page.path)
                    .deletingLastPathComponent().appending(path: String(match.output.1))
                let exists = FileManager.default.fileExists(
                    atPath: target.standardizedFileURL.path())
                return exists ? nil : "\(page.path): \(match.output.1)"
            }
        }
        #expect(broken == [])
    }
}
