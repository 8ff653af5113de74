import AppAttest
import Foundation
import SampleKeys
import Synchronization
import Testing
import Wire

@testable import Worker
@testable import attest_worker

/// The runbook's rotation of the keys of tokens, by SIGHUP's way: settings and files are read
/// again.
@Suite struct KeyRotationTests {
    /// The settings file and the keys' files, as they are at this moment.
    private final class Files: Sendable {
        let contents = Mutex<[String: [UInt8]]>([:])

        func write(_ bytes: [UInt8], to path: String) {
            contents.withLock { $0[path] = bytes }
        }

        func sign(with paths: String...) {
            let list = paths.map { "\"\($0)\"" }.joined(separator: ",")
            write(
                Array(
                    """
                    {tokens: {issuer: "https://i", keyFiles: [\(list)]},
                    apps: [{appId: "T.a", tokens: {subject: "s", audience: ["a"]}}]}
                    """.utf8), to: "/config")
        }

        func read() throws(InvalidSettings) -> Settings {
            try SettingsReader.read(
                arguments: ["--config=/config"], environment: [:],
                readFile: { (path) throws(SettingsReader.UnreadableFile) in
                    guard let bytes = self.contents.withLock({ $0[path] }) else {
                        throw SettingsReader.UnreadableFile(message: "does not exist")
                    }
                    return bytes
                }
            ).settings
        }
    }

    private let files = Files()
    private let test = TestConsole()
    private let live: LiveSettings
    private let reloader: Reloader

    init() throws {
        files.write(SampleKeys.p256(1), to: "/old")
        files.write(SampleKeys.rsa, to: "/new")
        files.sign(with: "/old")
        let settings = try files.read()
        live = LiveSettings(settings)
        let console = test.console()
        let log = Log(level: .info, format: .json, clock: console.clock, sink: console.writeError)
        reloader = Reloader(settings, live: live, log: log) { [files] () throws(InvalidSettings) in
            try files.read()
        }
    }

    private var policy: TokenPolicy {
        get throws { try #require(live.policy.value.tokens) }
    }

    private func token() throws -> String {
        try policy.token(
            TokenClaims(
                issuer: "https://i", subject: "s", audience: ["a"], issuedAt: 1, expiry: 2,
                proof: TokenClaims.Proof(environment: "production")))
    }

    private func published() throws -> [String] {
        let set = try JSONSerialization.jsonObject(with: Data(try policy.keySet))
        let keys = try #require((set as? [String: Any])?["keys"] as? [[String: String]])
        return keys.compactMap { $0["alg"] }
    }

    @Test func `added last, moved first, and the old one taken away`() throws {
        let first = try token()
        #expect(try published() == ["ES256"])

        files.sign(with: "/old", "/new")
        reloader.reload()
        #expect(try published() == ["ES256", "RS256"])
        let second = try token()
        #expect(try policy.current.algorithm == .es256)

        files.sign(with: "/new", "/old")
        reloader.reload()
        #expect(try policy.current.algorithm == .rs256)
        let third = try token()
        for token in [first, second, third] {
            #expect(try policy.verifiedClaims(of: token) != nil)
        }

        files.sign(with: "/new")
        reloader.reload()
        #expect(try published() == ["RS256"])
        #expect(try policy.verifiedClaims(of: first) == nil)
        #expect(try policy.verifiedClaims(of: third) != nil)
        #expect(!test.errorText.contains("reload_failed"))
        #expect(test.errorText.contains(#""taken_over":"tokens.keyFiles""#))
    }

    @Test func `another key in the same file is taken over`() throws {
        let before = try policy
        files.write(SampleKeys.p256(2), to: "/old")
        reloader.reload()
        #expect(try policy.current != before.current)
        #expect(test.errorText.contains(#""taken_over":"tokens.keyFiles""#))
    }

    @Test func `a file that holds no key changes nothing, and is told without its contents`() throws
    {
        let before = try policy
        files.write(Array("secret but no key".utf8), to: "/new")
        files.sign(with: "/new", "/old")
        reloader.reload()
        #expect(try policy == before)
        #expect(test.errorText.contains("reload_failed"))
        #expect(test.errorText.contains("names the file /new, which must hold a private key"))
        #expect(!test.errorText.contains("secret but"))
    }
}
