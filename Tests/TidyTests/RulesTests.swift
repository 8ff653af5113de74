import Testing

/// A rule that finds nothing proves nothing until it has found something.
@Suite struct RulesTests {
    func file(_ text: String, in target: String = "AppAttest") -> TextFile {
        TextFile(path: "Sources/\(target)/File.swift", text: text)
    }

    @Test(arguments: [
        ("AppAttest", "import Foundation"), ("AppAttest", "internal import FoundationEssentials"),
        ("AppAttest", "public import Wire"), ("Wire", "import Worker"),
        ("Worker", "import CPQ"), ("PostgresStore", "internal import CRdkafka"),
        ("LibCrypto", "@testable import AppAttest"), ("Worker", "import struct CPQ.PGconn"),
        ("Elsewhere", "let a = 1"),
    ])
    func `an import that runs the wrong way is found`(target: String, line: String) {
        #expect(Rules.wrongImports(in: file("let a = 0\n" + line, in: target)).count == 1)
    }

    @Test(arguments: [
        ("AppAttest", "public import LibCrypto"),
        ("Worker", "internal import FoundationEssentials"),
        ("PostgresStore", "internal import CPQ"), ("AppAttest", "// import Foundation"),
        ("AppAttest", "let text = \"import Foundation\""),
    ])
    func `other imports are fine`(target: String, line: String) {
        #expect(Rules.wrongImports(in: file(line, in: target)) == [])
    }

    @Test(arguments: [
        "let a = b!", "f(x)!.c", "let a = try! f()", "let a = b as! C", "a[0]!", "fatalError()",
        "final class A: @unchecked Sendable {}", "String(format: f)", "nonisolated(unsafe) var a",
    ])
    func `code that traps or hides is found`(line: String) {
        #expect(Rules.forbiddenCode(in: file(line, in: "Worker")).count == 1)
    }

    @Test(arguments: [
        "if !a { b() }", "a != b", "// it works!", "let a = \"b!\" + \"c\\\"d!\"", "f(!a)", "[!a]",
    ])
    func `other exclamation marks are fine`(line: String) {
        #expect(Rules.forbiddenCode(in: file(line)) == [])
    }

    @Test func `a wrapper of C may be unchecked, with care`() {
        let line = "final class A: @unchecked Sendable {}"
        #expect(Rules.forbiddenCode(in: file(line, in: "LibCrypto")) == [])
    }

    @Test(arguments: ["// TO" + "DO: later", "# FIX" + "ME", "cd /wo" + "rk/main"])
    func `a leftover is found wherever it stands`(line: String) {
        #expect(Rules.leftovers(in: file("a\n" + line)).count == 1)
    }

    @Test func `long files, lines and functions are found`() {
        let lines = { (count: Int) in
            String(repeating: "        a()\n", count: count)
        }
        let function = { (count: Int) in
            "struct A {\n    func f(\n        b: Int\n    ) {\n\(lines(count))    }\n}\n"
        }
        #expect(Rules.longFunctions(in: file(function(56))) == [])
        #expect(Rules.longFunctions(in: file(function(57))).count == 1)
        #expect(Rules.sizes(of: file(lines(400))) == [])
        #expect(Rules.sizes(of: file(lines(401))).count == 1)
        #expect(Rules.sizes(of: file(String(repeating: "é", count: 100))) == [])
        #expect(Rules.sizes(of: file(String(repeating: "é", count: 101))).count == 1)
    }
}
