import AppAttest
import AttestTestKit
import Foundation
import Testing

/// The catalogue's pages against the code, so that neither goes its own way.
@Suite struct `The documentation` {
    static let repository = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    static let catalogue = repository.appending(
        path: "Sources/AttestTestKit/AttestTestKit.docc")

    private func text(_ folder: URL, _ path: String) throws -> String {
        try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    }

    @Test(arguments: ["OrderBackend.swift", "OrderBackendTests.swift"])
    func `shows the tutorial's programs as they are compiled and run`(_ file: String) throws {
        let page = try text(Self.catalogue, "TestingYourBackend.md")
        let program = try text(
            Self.repository, "Tests/AttestTestKitTests/Tutorial/\(file)")
        #expect(program.count > 500)
        #expect(page.contains("```swift\n\(program)```\n"))
    }

    @Test func `keeps the promise of thirty lines`() throws {
        let program = try text(
            Self.repository, "Tests/AttestTestKitTests/Tutorial/OrderBackendTests.swift")
        #expect(program.split(separator: "\n").count <= 30)
    }

    /// Set ATTEST_WRITE_PAGES to have the tables written anew.
    @Test func `lists every lie as the code does`() throws {
        let start = "### Lies of attestations\n"
        let name = "EveryKnob.md"
        let page = try text(Self.catalogue, name)
        let head = try #require(page.range(of: start)).lowerBound
        var tables = start + "\n" + Self.tableHead
        for lie in AttestationLie.allCases {
            tables += try row("\(lie)", lie.rejection.rawValue, of: .attestation)
        }
        tables += "\n### Lies of assertions\n\n" + Self.tableHead
        for lie in AssertionLie.allCases {
            tables += try row("\(lie)", lie.rejection.rawValue, of: .assertion)
        }
        tables += "\n### Lies of receipts\n\n" + Self.tableHead
        for lie in ReceiptLie.allCases {
            tables += try row("\(lie)", lie.rejection.rawValue, of: .receipt)
        }
        if ProcessInfo.processInfo.environment["ATTEST_WRITE_PAGES"] != nil {
            try (page[..<head] + tables).write(
                to: Self.catalogue.appending(path: name), atomically: true, encoding: .utf8)
        }
        let isSame = page[head...] == tables
        #expect(isSame, "run this test once with ATTEST_WRITE_PAGES=1")
    }

    private enum ObjectKind: String {
        case attestation = "Attestation"
        case assertion = "Assertion"
        case receipt = "Receipt"
    }

    private static let tableHead = "| knob | what is changed | reason |\n| --- | --- | --- |\n"

    /// A row for a lie, given by its group and name with a dot between them.
    private func row(_ lie: String, _ reason: String, of kind: ObjectKind) throws -> String {
        let parts = lie.split(separator: ".")
        let group = try #require(parts.first)
        let name = try #require(parts.last)
        let type =
            switch group {
            case _ where kind == .receipt:
                "Receipt\(group.prefix(1).uppercased())\(group.dropFirst())Lie"
            case "structure": "\(kind.rawValue)StructureLie"
            case "certificate": "CredentialCertificateLie"
            case "coseKey": "COSEKeyLie"
            default: group.prefix(1).uppercased() + group.dropFirst() + "Lie"
            }
        let summary = try summary(
            of: name,
            in: text(
                Self.repository, "Sources/AttestTestKit/\(type).swift"))
        return "| `.\(group)(.\(name))` | \(summary) | `\(reason)` |\n"
    }

    /// The documentation comment of a case, on one line.
    private func summary(of name: Substring, in source: String) throws -> String {
        let lines = source.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let place = try #require(lines.firstIndex(of: "case \(name)"), "\(name) has its own line")
        let comment = lines[..<place].reversed().prefix { $0.hasPrefix("/// ") }.reversed()
        try #require(!comment.isEmpty)
        return comment.map { $0.dropFirst(4) }.joined(separator: " ")
            .replacing("``", with: "`")
    }
}
