import Harness
import LibCrypto
import Testing
import Worker

@testable import attest_worker

/// What is told of a key for Apple's server that can't be used.
@Suite struct ProviderKeyTests {
    private static let appID = "TEAM123456.com.example.app"

    private struct Case: Sendable {
        var name = "AuthKey_ABC123DEFG.p8"
        /// Nil: there is no such file.
        var text: String?
        var complaint: String
    }

    private static let cases = [
        Case(text: nil, complaint: "the file of receipts.keyPath can't be read"),
        Case(text: "", complaint: "must hold a P-256 private key in PEM, not encrypted"),
        Case(text: "no key", complaint: "must hold a P-256 private key in PEM, not encrypted"),
        Case(
            text: String(repeating: "x", count: PrivateKeyFile.byteCountMax + 1),
            complaint: "must hold a P-256 private key in PEM, not encrypted"),
        // An id has ten characters.
        Case(
            name: "AuthKey_SHORT.p8",
            text: String(decoding: AppleServerTests.pem(7), as: UTF8.self),
            complaint: "receipts.keyId must be set"),
    ]

    @Test(arguments: cases)
    private func `it is told what is wrong, and the settings are to blame`(bad: Case) throws {
        let folder = try Folder("attest-provider-key")
        if let text = bad.text { _ = try folder.write(text, to: bad.name) }
        let path = folder.path(bad.name)
        let test = TestConsole()
        let code = AttestWorker.run(
            [
                "receipts", "refresh", "--app-id=\(Self.appID)",
                "--postgres.connection=host=127.0.0.1 port=1",
                "--apps=[{appId: \"\(Self.appID)\"}]", "--receipts.keyPath=\(path)",
                "--receipts.teamId=TEAM123456", "ciH3RDX+tO8kOMNOjSSGHPTbTJ1uPqN1A6Rj1YZJ7Vk=",
            ], console: test.console())
        #expect(code == .config)
        #expect(test.errorText.contains(bad.complaint), "\(test.errorText)")

        var settings = Settings()
        settings.receipts.keyPath = path
        settings.receipts.teamID = "TEAM123456"
        let findings = ProviderKeyCheck.findings(settings)
        #expect(findings.count == 1)
        #expect(findings.first?.weight == .error(.config))
    }

    @Test(arguments: [
        (nil, "the file of receipts.caPath can't be read"),
        ("", "the file of receipts.caPath must hold certificates in PEM"),
        (
            "-----BEGIN CERTIFICATE-----\nno base64\n-----END CERTIFICATE-----\n",
            "the file of receipts.caPath must hold certificates in PEM"
        ),
    ])
    func `roots that can't be used are told as the key is`(
        text: String?, complaint: String
    ) throws {
        let folder = try Folder("attest-provider-roots")
        let pem = String(decoding: AppleServerTests.pem(7), as: UTF8.self)
        let keyPath = try folder.write(pem, to: "AuthKey_ABC123DEFG.p8")
        if let text { _ = try folder.write(text, to: "roots.pem") }
        var settings = Settings()
        settings.receipts.keyPath = keyPath
        settings.receipts.teamID = "TEAM123456"
        settings.receipts.caPath = folder.path("roots.pem")
        let findings = ProviderKeyCheck.findings(settings)
        #expect(findings.map(\.weight) == [.fine, .error(.config)])
        let test = TestConsole()
        let code = AttestWorker.run(
            [
                "receipts", "refresh", "--app-id=\(Self.appID)",
                "--postgres.connection=host=127.0.0.1 port=1",
                "--apps=[{appId: \"\(Self.appID)\"}]", "--receipts.keyPath=\(keyPath)",
                "--receipts.caPath=\(folder.path("roots.pem"))",
                "--receipts.teamId=TEAM123456", "ciH3RDX+tO8kOMNOjSSGHPTbTJ1uPqN1A6Rj1YZJ7Vk=",
            ], console: test.console())
        #expect(code == .config)
        #expect(test.errorText.contains(complaint), "\(test.errorText)")
        // One that is good among others.
        let certificates = try TestCertificates()
        settings.receipts.caPath = certificates.root
        withExtendedLifetime(certificates) {
            #expect(ProviderKeyCheck.findings(settings).map(\.weight) == [.fine])
        }
    }

    @Test func `a word that is no key id is told, and what one is`() {
        let test = TestConsole()
        let code = AttestWorker.run(
            ["receipts", "refresh", "--app-id=\(Self.appID)", "abc"], console: test.console())
        #expect(code == .usage)
        #expect(test.errorText.contains("is no key id: that is base64 or base64url of 32 bytes"))
        #expect(test.errorText.contains("abc"))
    }

    @Test func `apps of another team are told, as Apple would refuse the key for them`() throws {
        let folder = try Folder("attest-provider-team")
        let pem = String(decoding: AppleServerTests.pem(7), as: UTF8.self)
        let path = try folder.write(pem, to: "AuthKey_ABC123DEFG.p8")
        for (apps, weights) in [
            (["TEAM123456.one", "TEAM123456.two"], [Finding.Weight.fine]),
            (["TEAM123456.one", "OTHERTEAM1.two"], [.fine, .warning]),
        ] {
            var settings = Settings()
            settings.receipts.keyPath = path
            settings.receipts.teamID = "TEAM123456"
            settings.apps = apps.map { appID in
                var app = Settings.App()
                app.appID = appID
                return app
            }
            let findings = ProviderKeyCheck.findings(settings)
            #expect(findings.map(\.weight) == weights, "\(findings)")
        }
    }
}
