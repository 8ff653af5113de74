import Foundation
import SampleKeys
import Testing
import Worker

@testable import attest_worker

@Suite struct KeySetCommandTests {
    private func run(_ arguments: [String]) -> (console: TestConsole, code: Int32) {
        let console = TestConsole()
        let files = [
            "/p256": String(decoding: SampleKeys.p256(1), as: UTF8.self),
            "/rsa": String(decoding: SampleKeys.rsa, as: UTF8.self),
        ]
        let code = KeySetCommand.command.execute(arguments, console.console(files: files))
        return (console, code.rawValue)
    }

    @Test func `it has the public halves of all keys, in their order`() throws {
        let (console, code) = run(["--tokens.issuer=i", "--tokens.keyFiles=/rsa,/p256"])
        #expect(code == 0)
        let read = try JSONSerialization.jsonObject(with: Data(console.outputText.utf8))
        let keys = try #require((read as? [String: Any])?["keys"] as? [[String: String]])
        #expect(keys.map { $0["alg"] } == ["RS256", "ES256"])
        #expect(keys.allSatisfy { $0["d"] == nil && $0["p"] == nil })
    }

    @Test(
        arguments: [
            ([], "tokens.keyFiles must be set", 78),
            (["--tokens.keyFiles=/p256"], "must be set beside tokens.keyFiles", 64),
            (["--tokens.issuer=i", "--tokens.keyFiles=/none"], "does not exist", 78),
        ] as [([String], String, Int32)])
    func `what is missing is told`(arguments: [String], complaint: String, expected: Int32) {
        let (console, code) = run(arguments)
        #expect(code == expected)
        #expect(console.errorText.contains(complaint), "\(console.errorText)")
        #expect(console.outputText.isEmpty)
    }
}
