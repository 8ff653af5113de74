import AppAttest
import Testing

@testable import Worker

/// Each rule of a setting, broken once.
extension SettingsReaderTests {
    @Test(arguments: [
        (["--kafka.topics.verdicts=attest.requests.v1"], "kafka.topics.verdicts"),
        (["--kafka.topics.deadLetters=attest.requests.v1"], "kafka.topics.deadLetters"),
        (["--kafka.topics.deadLetters=attest.verdicts.v1"], "kafka.topics.deadLetters"),
        (["--kafka.maxPollInterval=30s"], "kafka.maxPollInterval"),
        (["--postgres.statementTimeout=10m"], "postgres.statementTimeout"),
        (["--postgres.lockTimeout=11s"], "postgres.lockTimeout"),
        ([#"--apps=[{appId: "T.b"}, {appId: "T.b"}]"#], "apps"),
        ([#"--apps=[{appId: "T.a"}, {appId: "T.b", simulated: true}]"#], "apps[1].simulated"),
        ([#"--apps=[{appId: "T.b", trustAnchor: "PEM"}]"#], "apps[0].trustAnchor"),
        (
            [#"--apps=[{appId: "T.b", simulated: false, trustAnchor: "PEM"}]"#],
            "apps[0].trustAnchor"
        ),
        ([#"--apps=[{appId: "T.b", receiptTrustAnchor: "P"}]"#], "apps[0].receiptTrustAnchor"),
        (
            [#"--apps=[{appId: "T.b", simulated: true, trustAnchor: "P", receipt: "required"}]"#],
            "apps[0].receipt"
        ),
        ([#"--apps=[{appId: "T.b", receipt: "optional"}]"#], "apps[0].receipt"),
        (["--worker.idleWait=0ms"], "worker.idleWait"),
        (["--challenges.secret=short"], "challenges.secret"),
        (["--artifacts.secret=short"], "artifacts.secret"),
        (["--artifacts.lifetime=1s"], "artifacts.lifetime"),
        (
            ["--artifacts.previousSecret=0123456789abcdef0123456789abcdef"],
            "artifacts.previousSecret"
        ),
        (["--challenges.ttl=1s"], "challenges.ttl"),
        (
            ["--challenges.previousSecret=0123456789abcdef0123456789abcdef"],
            "challenges.previousSecret"
        ),
        (
            [
                "--challenges.secret=0123456789abcdef0123456789abcdef",
                "--challenges.previousSecret=0123456789abcdef0123456789abcdef",
            ], "challenges.previousSecret"
        ),
        (
            [
                #"--apps=[{appId: "T.b", challenge: "signed"}]"#,
                "--kafka.bootstrapServers=broker:9092",
            ], "apps[0].challenge"
        ),
        (["--kafka.topics.requests=a,,b"], "kafka.topics.requests"),
        (["--kafka.topics.requests=a,a"], "kafka.topics.requests"),
        (["--kafka.properties=sasl.mechanism=PLAIN"], "kafka.properties"),
        (["--kafka.properties=[]"], "kafka.properties"),
        (
            [#"--apps=[{appId: "T.b", simulated: true, trustAnchorFile: "/none"}]"#],
            "apps[0].trustAnchorFile"
        ),
        (["--kafka.topics.verdicts=a/b"], "kafka.topics.verdicts"),
        (["--worker.batchBytesMax=1000000000GiB"], "worker.batchBytesMax"),
        (["--worker.drainTimeout=99999999999999999999s"], "worker.drainTimeout"),
        ([#"--apps=[{appId: "T."}]"#], "apps[0].appId"),
        ([#"--apps=[{appId: "T.a", moreAppIds: ["T.b", "c"]}]"#], "apps[0].moreAppIds"),
        ([#"--apps=[{appId: "T.a", moreAppIds: ["T.a"]}]"#], "apps"),
        (
            [#"--apps=[{appId: "T.a", requestTime: {maxAge: "8d"}}]"#],
            "apps[0].requestTime.maxAge"
        ),
        (
            [#"--apps=[{appId: "T.a", requestTime: {maxSkew: "6m"}}]"#],
            "apps[0].requestTime.maxSkew"
        ),
        (
            [#"--apps=[{appId: "T.a", validationCategories: {allow: ["appstore"]}}]"#],
            "apps[0].validationCategories.allow"
        ),
        (
            [#"--apps=[{appId: "T.a", validationCategories: {allow: ["4", "appStore"]}}]"#],
            "apps[0].validationCategories.allow"
        ),
        (
            [#"--apps=[{appId: "T.a", validationCategories: ["appStore"]}]"#],
            "apps[0].validationCategories"
        ),
        (
            [#"--apps=[{appId: "T.a", bundleVersions: {minimun: "1"}}]"#],
            "apps[0].bundleVersions.minimun"
        ),
        (
            [#"--apps=[{appId: "T.a", bundleVersions: {minimum: "1.x"}}]"#],
            "apps[0].bundleVersions.minimum"
        ),
        ([#"--apps=[{appId: "T.a", cdHashes: {allow: ["ab"]}}]"#], "apps[0].cdHashes.allow"),
        ([#"--apps=[{appId: "T.a", idleTime: {maxDays: 0}}]"#], "apps[0].idleTime.maxDays"),
        (["--kafka.groupInstanceId="], "kafka.groupInstanceId"),
        (["--kafka.oauth.tokenPath="], "kafka.oauth.tokenPath"),
        ([#"--apps=[{appId: "T.b c"}]"#], "apps[0].appId"),
        ([#"--apps=[{appId: "T.b+c"}]"#], "apps[0].appId"),
        (["--apps=[{appId: \"\u{212A}.b\"}]"], "apps[0].appId"),
        (["--apps=[]"], "apps"), (["--apps={"], "apps"), (["--apps=[1]"], "apps"),
    ])
    func `one broken rule is one problem, and flags alone are a usage error`(
        arguments: [String], key: String
    ) throws {
        let error = #expect(throws: InvalidSettings.self) { try read(arguments: arguments) }
        let invalid = try #require(error)
        #expect(invalid.problems.map(\.key) == [key])
        #expect(invalid.exitCode == .usage)
    }

    private func read(arguments: [String]) throws(InvalidSettings) -> SettingsReader.Reading {
        try read(file: nil, [:], arguments)
    }
}
