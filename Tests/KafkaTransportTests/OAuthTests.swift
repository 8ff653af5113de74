import FoundationEssentials
import Glibc
import Testing
import Wire
import Worker

@testable import KafkaTransport

@Suite(.serialized) struct OAuthTests {
    private static let now: Int64 = 1_790_000_000_000
    private static let expiry = 1_790_000_600

    private static func webToken(_ claims: String) -> String {
        let parts = ["{}", claims, "signature"].map { part in
            Data(part.utf8).base64EncodedString().replacing("=", with: "")
        }
        return parts.joined(separator: ".")
    }

    private func parse(_ text: String) throws(OAuthToken.Problem) -> OAuthToken {
        try OAuthToken(parsing: Array(text.utf8), nowMilliseconds: Self.now)
    }

    @Test func `a web token tells its end and its name`() throws {
        let text = Self.webToken(#"{"sub":"worker","exp":\#(Self.expiry)}"#)
        let token = try parse("\n\(text)\n")
        #expect(token.value == text)
        #expect(token.expiryMilliseconds == Int64(Self.expiry) * 1000)
        #expect(token.principal == "worker")
    }

    @Test func `an authorisation server's answer tells the end of a token that doesn't`() throws {
        let token = try parse(#"{"access_token":"opaque","token_type":"bearer","expires_in":60}"#)
        #expect(token.value == "opaque")
        #expect(token.expiryMilliseconds == Self.now + 60_000)
        #expect(token.principal == "attest-worker")
        // The token's own word counts.
        let inner = Self.webToken(#"{"exp":\#(Self.expiry)}"#)
        let both = try parse(#"{"access_token":"\#(inner)","expires_in":1}"#)
        #expect(both.expiryMilliseconds == Int64(Self.expiry) * 1000)
    }

    @Test(arguments: [
        "", " ", "two words", "opaque", "{}", #"{"access_token":""}"#, "{\"access_token\"",
        #"{"access_token":"opaque","expires_in":0}"#, #"{"access_token":"ünïcode"}"#,
        webToken(#"{"exp":1}"#), webToken("{}"), webToken(#"{"exp":-1e300}"#), "a.%.c",
    ])
    func `what is no usable token is told without a word of it`(text: String) {
        let problem = #expect(throws: OAuthToken.Problem.self) { try parse(text) }
        if text.utf8.count > 4 { #expect(problem?.message.contains(text) == false) }
    }

    @Test func `an end beyond all time is kept in range`() throws {
        #expect(
            try parse(Self.webToken(#"{"exp":1e300}"#)).expiryMilliseconds == 10_000_000_000_000_000
        )
    }

    @Test(arguments: [
        (["nowhere-to-be-found"], "can't be started"), (["false"], "failed"),
        (["sh", "-c", "head -c 100000 /dev/zero"], "printed too much"),
    ])
    func `a command that gives no token is told`(command: [String], words: String) {
        let problem = #expect(throws: OAuthToken.Problem.self) {
            try OAuthTokenSource.command(command).fetch { false }
        }
        #expect(problem?.message.contains(words) == true, "\(problem?.message ?? "")")
    }

    @Test(arguments: [["sleep", "100"], ["sh", "-c", "exec >&-; sleep 100"]])
    func `a command that hangs is ended when the client goes`(command: [String]) {
        let begin = ContinuousClock.now
        var looks = 0
        #expect(throws: OAuthToken.Problem.self) {
            try OAuthTokenSource.command(command).fetch {
                looks += 1
                return looks > 2
            }
        }
        #expect(begin.duration(to: .now) < OAuthTokenSource.commandPatience)
    }

    @Test func `a file is read anew each time, and a command's output is taken whole`() throws {
        let path = "/tmp/attest-token-\(getpid())"
        defer { unlink(path) }
        for text in ["one", "two"] {
            try Data(text.utf8).write(to: URL(filePath: path))
            #expect(try OAuthTokenSource.file(path).fetch { false } == Array(text.utf8))
        }
        let words = ["sh", "-c", "printf a; sleep 0.1; printf b"]
        #expect(try OAuthTokenSource.command(words).fetch { false } == Array("ab".utf8))
        #expect(throws: OAuthToken.Problem.self) {
            try OAuthTokenSource.file(path + "-gone").fetch { false }
        }
    }

    private func settings(_ properties: [String: String], _ source: OAuthTokenSource?)
        -> KafkaSettings
    {
        var settings = KafkaSettings(
            bootstrapServers: "localhost:1", groupID: "group", requestTopics: ["requests"])
        settings.properties = properties
        settings.tokenSource = source
        return settings
    }

    @Test func `every kind of client takes every way to log in`() throws {
        let tls = ["security.protocol": "sasl_ssl", "sasl.username": "u", "sasl.password": "p"]
        for mechanism in ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] {
            let settings = settings(tls.merging(["sasl.mechanism": mechanism]) { $1 }, nil)
            #expect(settings.problems() == [])
            for role in ClientRole.allCases { _ = try settings.configuration(for: role) }
        }
        let tokens = settings(["security.protocol": "SASL_SSL"], .file("/token"))
        #expect(tokens.problems() == [])
        for role in ClientRole.allCases { _ = try tokens.configuration(for: role) }
    }

    @Test func `settings that contradict each other are told`() {
        let file = OAuthTokenSource.file("/token")
        let cases: [([String: String], OAuthTokenSource?, String)] = [
            (
                ["sasl.mechanism": "OAUTHBEARER", "security.protocol": "sasl_ssl"], nil,
                "tokenSource"
            ),
            (
                ["sasl.mechanism": "PLAIN", "security.protocol": "sasl_ssl"], file,
                "properties.sasl.mechanism"
            ),
            ([:], file, "properties.security.protocol"),
            (["security.protocol": "ssl"], file, "properties.security.protocol"),
        ]
        for (properties, source, setting) in cases {
            #expect(settings(properties, source).problems().map(\.setting) == [setting])
        }
    }

    @Test func `an old library and a login in the clear are warned of`() {
        let scram = settings(
            ["sasl.mechanism": "SCRAM-SHA-256", "security.protocol": "sasl_ssl"], nil)
        #expect(scram.loginWarnings(libraryVersion: 0x0206_00ff).count == 1)
        #expect(scram.loginWarnings(libraryVersion: 0x0206_01ff) == [])
        let clear = settings(
            ["sasl.mechanism": "PLAIN", "security.protocol": "SASL_PLAINTEXT"], nil)
        #expect(clear.loginWarnings(libraryVersion: 0x0206_01ff).count == 1)
    }
}
