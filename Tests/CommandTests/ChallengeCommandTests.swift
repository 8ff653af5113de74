import AppAttest
import FoundationEssentials
import Testing
import Wire
import Worker

@testable import attest_worker

@Suite struct ChallengeCommandTests {
    private struct Minted: Decodable {
        var challenge: String
        var ttl: String
    }

    private static let secret = "0123456789abcdef0123456789abcdef"

    private func run(_ arguments: [String]) -> (console: TestConsole, code: Int32) {
        let console = TestConsole()
        var number: UInt8 = 0
        let code = ChallengeCommand.execute(
            arguments,
            console.console(
                files: ["/secret": Self.secret + "\n"], microseconds: 1_790_000_000_000_000)
        ) { count in
            number += 1
            return [UInt8](repeating: number, count: count)
        }
        return (console, code.rawValue)
    }

    @Test func `a challenge is one that workers with the secret take`() throws {
        let (console, code) = run([
            "--app=TEAM.app", "--purpose", "assertion", "--count=2", "--challenges.ttl=90s",
            "--challenges.secretFile=/secret",
        ])
        #expect(code == 0)
        let ring = try #require(SecretKeyRing(current: Array(Self.secret.utf8)))
        let lines = console.outputText.split(separator: "\n")
        #expect(lines.count == 2)
        for (number, line) in lines.enumerated() {
            let minted = try JSONDecoder().decode(Minted.self, from: Data(line.utf8))
            #expect(minted.ttl == "90s")
            let challenge = try SignedChallenge(
                verifying: try #require(Base64.decode(minted.challenge)), appID: "TEAM.app",
                purpose: .assertion, at: Instant(milliseconds: 1_790_000_089_999), secrets: ring)
            #expect(challenge.purpose == .assertion)
            #expect(challenge.expiry == Instant(milliseconds: 1_790_000_090_000))
            #expect(challenge.id == [UInt8](repeating: UInt8(number) + 1, count: 16))
        }
        #expect(!console.outputText.contains(Self.secret))
    }

    @Test(
        arguments: [
            (["--challenges.secretFile=/secret"], "--app must name the app", 64),
            (["--app=nothing", "--challenges.secretFile=/secret"], "--app must be an app id", 64),
            (
                ["--app=T.a", "--purpose=login", "--challenges.secretFile=/secret"],
                "--purpose must be", 64
            ),
            (["--app=T.a", "--count=0", "--challenges.secretFile=/secret"], "--count must be", 64),
            (["--app=T.a"], "challenges.secret must be set", 78),
            (["--app=T.a", "--challenges.secretFile=/none"], "does not exist", 78),
        ] as [([String], String, Int32)])
    func `what is missing or wrong is told, and nothing is minted`(
        arguments: [String], complaint: String, expected: Int32
    ) {
        let (console, code) = run(arguments)
        #expect(code == expected)
        #expect(console.errorText.contains(complaint), "\(console.errorText)")
        #expect(console.outputText.isEmpty)
    }
}
