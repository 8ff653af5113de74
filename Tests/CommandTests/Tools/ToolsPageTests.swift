import Foundation
import Testing
import Worker

@testable import attest_worker

/// `docs/tools.md` against the commands: every line that it shows must be one they take.
@Suite struct ToolsPageTests {
    private static let lines: [[String]] = {
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "docs/tools.md")
        let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").filter { $0.hasPrefix("    attest-worker ") }
            .map { $0.split(separator: " ").dropFirst().map(String.init) }
    }()

    @Test func `each tool is shown`() {
        let shown = Set(Self.lines.compactMap(\.first))
        #expect(shown == ["reconcile", "replay", "dead-letters", "offsets", "inbox"])
    }

    @Test(arguments: lines)
    func `a line that is shown is one that the command takes`(line: [String]) throws {
        let command = try #require(Command.all.first { $0.name == line.first })
        let help = command.help()
        for flag in line.dropFirst() where flag.hasPrefix("--") {
            let name = String(flag.prefix { $0 != "=" })
            #expect(help.contains(name), "--help of \(command.name) lacks \(name)")
        }
        // Its flags are known and right: all that is missing is where the brokers are, or the
        // database, for the one that needs no broker.
        let test = TestConsole()
        let settings = #"{ postgres: { connection: "host=127.0.0.1 port=1" } }"#
        let code = AttestWorker.run(line, console: test.console(files: ["attest.json5": settings]))
        guard command.name != "inbox" else {
            #expect(code == .unavailable, "\(test.errorText)")
            return
        }
        let problems = test.errorText.split(separator: "\n").filter { $0.hasPrefix("  - ") }
        #expect(code == .config, "\(test.errorText)")
        #expect(problems.count == 1, "\(test.errorText)")
        #expect(problems.allSatisfy { $0.contains("kafka.bootstrapServers") })
    }
}
