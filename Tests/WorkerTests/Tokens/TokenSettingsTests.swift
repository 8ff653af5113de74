import SampleKeys
import Testing

@testable import Worker

/// The settings of tokens: each rule, and what a reload takes over.
@Suite struct TokenSettingsTests {
    private static let app =
        #"apps: [{appId: "T.a", tokens: {subject: "s", audience: ["a"]}}]"#
    private static let files: [String: [UInt8]] = [
        "/p256": SampleKeys.p256(1), "/other": SampleKeys.p256(2), "/rsa": SampleKeys.rsa,
        "/same": SampleKeys.p256(1), "/text": Array("no key".utf8), "/none": [],
    ]

    private func read(
        _ file: String, files: [String: [UInt8]] = Self.files
    ) throws(InvalidSettings) -> Settings {
        try SettingsReader.read(
            arguments: ["--config=/config"], environment: [:],
            readFile: { (path) throws(SettingsReader.UnreadableFile) in
                if path == "/config" { return Array("{\(file)}".utf8) }
                guard let bytes = files[path] else {
                    throw SettingsReader.UnreadableFile(message: "does not exist")
                }
                return bytes
            }
        ).settings
    }

    @Test func `keys are read from their files, and the first one signs`() throws {
        let settings = try read(
            #"tokens: {issuer: "https://i", keyFiles: ["/rsa", "/p256"]}, \#(Self.app)"#)
        let policy = try #require(settings.tokens.policy)
        #expect(policy.issuer == "https://i")
        #expect(policy.current == TokenSamples.key(SampleKeys.rsa))
        #expect(policy.others == [TokenSamples.key(SampleKeys.p256(1))])
        let app = try #require(settings.apps.first?.tokens.policy)
        #expect(app == AppTokens(subject: "s", audience: ["a"]))
        #expect(app.lifetime == .seconds(3600))
        #expect(app.limitedUseLifetime == .seconds(300))
    }

    @Test func `without settings there are none`() throws {
        let settings = try read(#"apps: [{appId: "T.a"}]"#)
        #expect(settings.tokens.policy == nil)
        #expect(settings.apps.first?.tokens.policy == nil)
    }

    @Test func `no text of the settings has a key`() throws {
        let settings = try read(#"tokens: {issuer: "i", keyFiles: ["/p256"]}, \#(Self.app)"#)
        let shown = SettingsTable.all.map { $0.show(settings).json }.joined()
        #expect(shown.contains("/p256"))
        var dumped = ""
        dump(settings, to: &dumped)
        for text in [shown, dumped, PolicyDocument.of(settings)] {
            #expect(!text.contains("PRIVATE KEY"))
            #expect(!text.contains("MEECAQAw"))
        }
    }

    private static let tokens = #"tokens: {issuer: "i", keyFiles: ["/p256"]}"#

    @Test(arguments: [
        (#"tokens: {issuer: "i"}"#, "tokens.keyFiles"),
        (#"tokens: {keyFiles: ["/p256"]}"#, "tokens.issuer"),
        (#"tokens: {issuer: "", keyFiles: ["/p256"]}"#, "tokens.issuer"),
        (#"tokens: {issuer: "a b", keyFiles: ["/p256"]}"#, "tokens.issuer"),
        (#"tokens: {issuer: "i", keyFiles: []}"#, "tokens.keyFiles"),
        (#"tokens: {issuer: "i", keyFiles: ["/missing"]}"#, "tokens.keyFiles"),
        (#"tokens: {issuer: "i", keyFiles: ["/text"]}"#, "tokens.keyFiles"),
        (#"tokens: {issuer: "i", keyFiles: ["/none"]}"#, "tokens.keyFiles"),
        (#"tokens: {issuer: "i", keyFiles: ["/p256", "/same"]}"#, "tokens.keyFiles"),
        (#"tokens: {issuer: "i", keyFiles: ["/p256", "/p256"]}"#, "tokens.keyFiles"),
        (
            #"\#(tokens), apps: [{appId: "T.a", tokens: {subject: "s"}}]"#,
            "apps[0].tokens.audience"
        ),
        (
            #"\#(tokens), apps: [{appId: "T.a", tokens: {subject: "s", audience: [""]}}]"#,
            "apps[0].tokens.audience"
        ),
        (
            #"\#(tokens), apps: [{appId: "T.a", tokens: {subject: "s", "#
                + #"audience: "a,b,c,d,e,f,g,h,i"}}]"#,
            "apps[0].tokens.audience"
        ),
        (
            #"\#(tokens), apps: [{appId: "T.a", tokens: {ttl: "29m"}}]"#, "apps[0].tokens.ttl"
        ),
        (
            #"\#(tokens), apps: [{appId: "T.a", tokens: {ttl: "8d"}}]"#, "apps[0].tokens.ttl"
        ),
        (
            #"\#(tokens), apps: [{appId: "T.a", tokens: {limitedUseTtl: "2h"}}]"#,
            "apps[0].tokens.limitedUseTtl"
        ),
        (
            #"\#(tokens), apps: [{appId: "T.a", moreAppIds: ["T.b"], "#
                + #"tokens: {subject: "s", audience: ["a"]}}]"#, "apps[0].tokens.subject"
        ),
        (
            #"\#(tokens), apps: [{appId: "T.a", tokens: {subject: "s", audience: ["a"]}}, "#
                + #"{appId: "T.b", tokens: {subject: "s", audience: ["b"]}}]"#,
            "apps[1].tokens.subject"
        ),
        (#"kafka: {bootstrapServers: ["b:1"]}, \#(app)"#, "apps[0].tokens.subject"),
    ])
    func `one broken rule is one problem`(file: String, key: String) throws {
        let error = #expect(throws: InvalidSettings.self) { try read(file) }
        #expect(error?.problems.map(\.key) == [key])
        #expect(error?.problems.contains { $0.description.contains("PRIVATE") } == false)
    }

    @Test func `a policy's document needs no keys`() throws {
        let settings = try read(Self.app)
        let document = PolicyDocument.of(settings)
        #expect(document.contains(#""subject":"s""#))
        #expect(try read(String(document.dropFirst().dropLast())).apps == settings.apps)
    }

    @Test func `a reload takes over keys, also another one under the same path`() throws {
        let file = #"tokens: {issuer: "i", keyFiles: ["/p256"]}, \#(Self.app)"#
        let old = try read(file)
        var files = Self.files
        files["/p256"] = SampleKeys.p256(9)
        let new = try read(file, files: files)
        let change = SettingsChange(from: old, to: new) { _, _ in false }
        #expect(change.takenOver == ["tokens.keyFiles"])
        #expect(change.inForce.tokens == new.tokens)
        let same = SettingsChange(from: old, to: try read(file)) { _, _ in false }
        #expect(same.takenOver.isEmpty)
        let moved = SettingsChange(
            from: old,
            to: try read(#"tokens: {issuer: "j", keyFiles: ["/other", "/p256"]}, \#(Self.app)"#)
        ) { _, _ in false }
        #expect(moved.takenOver == ["tokens.issuer", "tokens.keyFiles"])
        #expect(moved.needingRestart.isEmpty)
        #expect(moved.inForce.tokens.policy?.others.count == 1)
    }
}
