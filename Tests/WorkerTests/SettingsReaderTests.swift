import AppAttest
import Testing

@testable import Worker

@Suite struct SettingsReaderTests {
    static let minimal = #"{kafka: {bootstrapServers: ["a:1"]}, apps: [{appId: "T.b"}]}"#

    /// Reads with files from a dictionary.
    func read(
        file: String? = nil, _ environment: [String: String] = [:], _ arguments: [String] = [],
        files: [String: String] = [:], required: [String] = []
    ) throws(InvalidSettings) -> SettingsReader.Reading {
        var files = files
        var arguments = arguments
        if let file {
            files["attest.json5"] = file
            arguments.insert("--config=attest.json5", at: 0)
        }
        return try SettingsReader.read(
            arguments: arguments, environment: environment, switches: ["--dry-run"],
            required: required
        ) { [files] path throws(SettingsReader.UnreadableFile) in
            guard let text = files[path] else { throw .init(message: "does not exist") }
            return Array(text.utf8)
        }
    }

    func problems(
        file: String? = nil, _ environment: [String: String] = [:], _ arguments: [String] = [],
        files: [String: String] = [:], required: [String] = []
    ) throws -> [String] {
        let error = #expect(throws: InvalidSettings.self) {
            try read(file: file, environment, arguments, files: files, required: required)
        }
        return try #require(error).problems.map(\.description)
    }

    /// A value that is wrong must not be taken for one that is absent.
    @Test func `no setting takes a value that breaks its rule`() throws {
        for setting in SettingsTable.all where !setting.isMap {
            let parts = setting.key.split(separator: ".")
            let file =
                parts.map { "{\($0): " }.joined() + "[true]"
                + String(repeating: "}", count: parts.count)
            let reading = Result { try read(file: file) }
            guard case .failure(let error as InvalidSettings) = reading else {
                Issue.record("\(setting.key) takes [true]")
                continue
            }
            let problem = error.problems.first { $0.key == setting.key }
            #expect(
                problem?.message.hasPrefix("must ") ?? false,
                "\(setting.key): \(error.problems.map(\.description))")
        }
    }

    @Test(arguments: ["short", "long enough, with blanks", "goodgoodgoodgoodgood\n# no"])
    func `a caller's secret that can't be one is refused, and not shown`(lines: String) throws {
        for key in ["apiKeys", "bearerTokens"] {
            let said = try problems(
                file: "{gateway: {\(key)File: \"secrets\"}}", files: ["secrets": lines])
            #expect(said.count == 1 && said[0].contains("lines of 16 to 512 characters"))
            #expect(!said.joined().contains(lines.prefix(5)))
        }
    }

    @Test(arguments: ["X Y:", "", "X-Forwarded-For:", "X\u{e9}"])
    func `what can't be a header's name is refused`(name: String) throws {
        let said = try problems([:], ["--gateway.addressHeader=\(name)"])
        #expect(said.count == 1 && said[0].contains("must be a header's name"))
        let fine = try read([:], ["--gateway.addressHeader=X-Forwarded-For"]).settings
        #expect(fine.gateway.addressHeader == "X-Forwarded-For")
    }

    @Test func `nothing at all gives the defaults`() throws {
        let reading = try read()
        #expect(reading.settings == Settings())
        #expect(reading.origins.isEmpty)
    }

    @Test func `a file is JSON5 with comments, bare keys and trailing commas`() throws {
        let settings = try read(
            file: """
                // the fleet in Frankfurt
                {
                    kafka: {
                        bootstrapServers: ["a:9092", 'b:9092'],
                        topics: {requests: ["attest.registrations.v1", "attest.assertions.v1"]},
                        sessionTimeout: "10s",
                        assignmentStrategy: "roundrobin",
                        properties: {"socket.keepalive.enable": true, "linger.ms": 5},
                    },
                    postgres: {connection: "host=db", inboxRetention: "30d"},
                    worker: {lanes: 4, batchBytesMax: "2MiB", maxClockSkew: "90s"},
                    apps: [
                        {appId: "TEAM.one"},
                        {appId: "TEAM.two", environments: ["development", "production"],
                         reattestation: "reject"},
                    ],
                    log: {level: "debug", format: "json"},
                }
                """
        ).settings
        #expect(settings.kafka.bootstrapServers == ["a:9092", "b:9092"])
        #expect(
            settings.kafka.topics.requests == ["attest.registrations.v1", "attest.assertions.v1"])
        #expect(settings.kafka.sessionTimeout == .seconds(10))
        #expect(settings.kafka.assignmentStrategy == .roundRobin)
        #expect(
            settings.kafka.properties == ["socket.keepalive.enable": "true", "linger.ms": "5"])
        #expect(settings.postgres.connection == "host=db")
        #expect(settings.postgres.inboxRetention == .seconds(30 * 86_400))
        #expect(settings.worker.count == 4)
        #expect(settings.worker.limits.batch.bytesMax == 2 << 20)
        #expect(settings.worker.maxClockSkew == .seconds(90))
        #expect(settings.apps.map(\.appID) == ["TEAM.one", "TEAM.two"])
        #expect(settings.apps.map(\.environments) == [[.production], [.production, .development]])
        #expect(settings.apps.map(\.rules.reattestation) == [.accept, .reject])
        #expect(settings.log.level == .debug)
        #expect(settings.log.format == .json)
    }

    @Test func `flags stand above the environment, and that above the file`() throws {
        let file = #"{kafka: {groupId: "file", clientId: "file", bootstrapServers: ["file:1"]}}"#
        let reading = try read(
            file: file,
            ["ATTEST_KAFKA__GROUP_ID": "variable", "ATTEST_KAFKA__CLIENT_ID": "variable"],
            ["--kafka.groupId=flag", "--worker.lanes", "3", "--dry-run"])
        #expect(reading.settings.kafka.groupID == "flag")
        #expect(reading.settings.kafka.clientID == "variable")
        #expect(reading.settings.kafka.bootstrapServers == ["file:1"])
        #expect(reading.settings.worker.count == 3)
        #expect(reading.switches == ["--dry-run"])
        #expect(reading.origins["kafka.groupId"] == .flag("--kafka.groupId"))
        #expect(reading.origins["kafka.clientId"] == .variable("ATTEST_KAFKA__CLIENT_ID"))
        #expect(reading.origins["kafka.bootstrapServers"] == .file("attest.json5"))
    }

    @Test func `variables nest with two underscores and join words with one`() throws {
        let settings = try read(
            [
                "ATTEST_KAFKA__BOOTSTRAP_SERVERS": "a:1,b:2",
                "ATTEST_KAFKA__TOPICS__DEAD_LETTERS": "d",
                "ATTEST_WORKER__MAX_REQUEST_AGE": "2d", "ATTEST_APPS": #"[{appId: "T.b"}]"#,
                "ATTEST_KAFKA__PROPERTIES__SASL_MECHANISM": "SCRAM-SHA-512", "HOME": "/",
                "ATTEST_CONFIG": "other.json5",
            ], files: ["other.json5": "{}"]
        ).settings
        #expect(settings.kafka.bootstrapServers == ["a:1", "b:2"])
        #expect(settings.kafka.topics.deadLetters == "d")
        #expect(settings.worker.maxRequestAge == .seconds(2 * 86_400))
        #expect(settings.apps.map(\.appID) == ["T.b"])
        #expect(settings.kafka.properties == ["sasl.mechanism": "SCRAM-SHA-512"])
    }

    @Test func `a map is JSON in a variable and in a flag, beside its members`() throws {
        let settings = try read(
            [
                "ATTEST_KAFKA__PROPERTIES": #"{"sasl.mechanism": "PLAIN", "linger.ms": 5}"#,
                "ATTEST_KAFKA__PROPERTIES__LINGER_MS": "7",
            ],
            [#"--kafka.propertyFiles={"sasl.password": "/run/sasl"}"#],
            files: ["/run/sasl": "s"]
        ).settings
        #expect(
            settings.kafka.properties == [
                "sasl.mechanism": "PLAIN", "linger.ms": "7", "sasl.password": "s",
            ])
    }

    @Test func `secrets come out of files, without the newline at the end`() throws {
        let settings = try read(
            file: """
                {kafka: {propertyFiles: {"ssl.key.password": "/run/key"}},
                 postgres: {passwordFile: "/run/pg"},
                 apps: [{appId: "T.b", simulated: true, trustAnchorFile: "/etc/root.pem"}]}
                """,
            ["ATTEST_KAFKA__PROPERTIES__SASL_PASSWORD_FILE": "/run/sasl"],
            ["--postgres.connectionFile=/run/dsn"],
            files: [
                "/run/key": "k\n", "/run/pg": "p\n\n", "/run/sasl": "s", "/run/dsn": "host=db\r\n",
                "/etc/root.pem": "-----BEGIN",
            ]
        ).settings
        #expect(
            settings.kafka.properties == ["ssl.key.password": "k", "sasl.password": "s"])
        #expect(settings.postgres.password == "p\n")
        #expect(settings.postgres.connection == "host=db")
        #expect(settings.apps.first?.trustAnchor == "-----BEGIN")
    }

    @Test func `an app id may have underscores, as that of Apple's own sample has`() throws {
        let appID = "0352187391.com.apple.example_app_attest"
        #expect(try read(file: #"{apps: [{appId: "\#(appID)"}]}"#).settings.apps[0].appID == appID)
    }

    @Test func `a policy is an object in its app, and is shown as one`() throws {
        let text = """
            {apps: [{
                appId: "T.a", moreAppIds: ["T.b", "OLDPREFIX.c"],
                validationCategories: {allow: ["appStore", "unknown", "11"], presence: "required"},
                bundleVersions: {minimum: "7.10", allow: ["7.10", "8"], mode: "report"},
                cdHashes: {allow: ["sha256:\(String(repeating: "0f", count: 32))"]},
                platforms: {allow: ["iphoneos"]},
                requestTime: {maxAge: "1d", maxSkew: "10s"},
                attestationAge: {maxDays: 90}, "idleTime.maxDays": 30,
            }]}
            """
        let reading = try read(file: text)
        let app = try #require(reading.settings.apps.first)
        #expect(app.appIDs == ["T.a", "T.b", "OLDPREFIX.c"])
        #expect(
            app.rules.validationCategories.allow == [.number(4), .unknown, .number(11)])
        #expect(app.rules.validationCategories.presence == .required)
        #expect(app.rules.bundleVersions.minimum == BundleVersion("7.10"))
        #expect(app.rules.bundleVersions.mode == .report)
        #expect(app.rules.cdHashes.allow.map(\.type) == [2])
        #expect(app.rules.platforms.allow == [.iOS])
        #expect(app.rules.requestTime.maxAge == .seconds(86_400))
        #expect(app.rules.attestationAge.maxDays == 90)
        #expect(app.rules.idleTime.maxDays == 30)
        #expect(try read(file: reading.file).settings == reading.settings)
    }

    @Test func `every problem is reported at once with key, origin and rule`() throws {
        let found = try problems(
            file: """
                {kafka: {grupId: "x", sessionTimeout: "5 parsecs", topics: "t"},
                 apps: [{appId: "nodot", environments: []}, {apId: "T.b"}], lanes: 2}
                """,
            ["ATTEST_WORKER__LANES": "many", "ATTEST_KAFKA__GROUPID": "x"],
            [
                "--log.level=loud", "--nonsense=1", "stray", "--dry-ran", "--worker.idlewait",
                "--worker.idleWait",
            ])
        #expect(
            found == [
                "apps[0].appId (file attest.json5) must be a team id, a dot and a bundle"
                    + " identifier, of letters, digits, '-', '_' and '.', not \"nodot\"",
                "apps[0].environments (file attest.json5) must be a list of \"development\" or"
                    + " \"production\", not []",
                "apps[1].apId (file attest.json5) is unknown; did you mean appId?",
                "apps[1] (file attest.json5) must have an appId",
                "kafka.grupId (file attest.json5) is unknown; did you mean kafka.groupId?",
                "kafka.sessionTimeout (file attest.json5) must be a duration from 1s to 30m, such"
                    + " as \"45s\", \"2h\" or \"7d\", not \"5 parsecs\"",
                "kafka.topics (file attest.json5) must be an object, not \"t\"",
                "lanes (file attest.json5) is unknown; did you mean worker.lanes?",
                "ATTEST_KAFKA__GROUPID (variable ATTEST_KAFKA__GROUPID) is unknown; did you mean"
                    + " ATTEST_KAFKA__GROUP_ID?",
                "worker.lanes (variable ATTEST_WORKER__LANES) must be a whole number from 0 to"
                    + " 256, not \"many\"",
                "stray (flag stray) is not a flag",
                "--dry-ran (flag --dry-ran) is unknown; did you mean dry-run?",
                "--worker.idlewait (flag --worker.idlewait) is unknown; did you mean"
                    + " worker.idleWait?",
                "--worker.idleWait (flag --worker.idleWait) must have a value:"
                    + " --worker.idleWait=…",
                "log.level (flag --log.level) must be \"debug\" or \"info\" or \"warning\" or"
                    + " \"error\", not \"loud\"",
                "--nonsense (flag --nonsense) is unknown",
            ])
    }

    @Test func `a list is told by what is in it, and cut where it is long`() throws {
        let found = try problems(
            file: """
                {apps: [{appId: "T.b", environments: ["prod", 1, true, null, {a: 1}, ["b"]]}],
                 kafka: {topics: {requests: ["a topic with a name that is rather long", "b",
                                             "another topic with a name that is rather long"]}}}
                """)
        #expect(
            found == [
                "apps[0].environments (file attest.json5) must be a list of \"development\" or"
                    + " \"production\", not [\"prod\", 1, true, null, an object, a list]",
                "kafka.topics.requests (file attest.json5) must be a list of topic names, each"
                    + " once, not [\"a topic with a name that is rather long\", \"b\","
                    + " \"another top…]",
            ])
    }

    @Test func `no problem and no printed settings show a secret`() throws {
        let secret = "hunter2"
        let found = try problems(
            file: #"{postgres: {password: ["hunter2"], connection: 5}}"#,
            [
                "ATTEST_POSTGRES__PASWORD": secret,
                "ATTEST_KAFKA__PROPERTIES__SASL_PASSWORD_FILE": "/none",
                "ATTEST_TRACES__ENDPOINT": "http://u:\(secret)@collector/v1",
                "ATTEST_KAFKA__BOOTSTRAP_SERVERS": "kafka://u:\(secret)@a b:1",
            ])
        #expect(found.count == 6)
        #expect(!found.joined().contains(secret))
        let printed = try read([
            "ATTEST_POSTGRES__PASSWORD": secret,
            "ATTEST_POSTGRES__CONNECTION": "password=\(secret)",
            "ATTEST_KAFKA__PROPERTIES__SASL_PASSWORD": secret,
            "ATTEST_KAFKA__PROPERTIES__SSL_KEY_PEM": secret,
        ]).file
        #expect(!printed.contains(secret))
        #expect(printed.contains(#""password": "***",  // variable ATTEST_POSTGRES__PASSWORD"#))
    }

    @Test func `printed settings are a file that gives them again`() throws {
        let first = try read(
            file: Self.minimal,
            ["ATTEST_KAFKA__PROPERTIES__LINGER_MS": "7"], ["--worker.idleWait=15ms"])
        let again = try read(file: first.file)
        #expect(again.settings == first.settings)
    }

    @Test func `a command's required keys are missed with the ways to set them`() throws {
        #expect(
            try problems(required: ["apps", "kafka.bootstrapServers"]) == [
                "kafka.bootstrapServers must be set, in the file, as --kafka.bootstrapServers or as"
                    + " ATTEST_KAFKA__BOOTSTRAP_SERVERS",
                "apps must be set, in the file, as --apps or as ATTEST_APPS",
            ])
        let reading = try read(
            file: Self.minimal, required: ["apps", "kafka.bootstrapServers"])
        #expect(reading.settings.apps.count == 1)
    }

    @Test(arguments: ["{", "", "[]", "5", "{kafka: {}} {"])
    func `a file that is no JSON5 object is a problem of the settings`(text: String) throws {
        let error = #expect(throws: InvalidSettings.self) { try read(file: text) }
        let invalid = try #require(error)
        #expect(invalid.problems.map(\.key) == ["attest.json5"])
        #expect(invalid.exitCode == .config)
    }

    @Test func `files that are missing, empty or not text are problems`() throws {
        let found = try problems(
            [
                "ATTEST_CONFIG": "/none", "ATTEST_POSTGRES__PASSWORD_FILE": "/empty",
                "ATTEST_POSTGRES__CONNECTION_FILE": "/none",
            ], files: ["/empty": "\n"])
        #expect(
            found == [
                "/none is the settings file, which does not exist",
                "postgres.connectionFile (variable ATTEST_POSTGRES__CONNECTION_FILE) names the"
                    + " file /none, which does not exist",
                "postgres.passwordFile (variable ATTEST_POSTGRES__PASSWORD_FILE) names the file"
                    + " /empty, which is empty",
            ])
    }

    @Test(arguments: [
        "ATTEST_WORKER_SERVICE_HOST", "ATTEST_WORKER_SERVICE_PORT_METRICS", "ATTEST_WORKER_PORT",
        "ATTEST_WORKER_PORT_8080_TCP_ADDR",
    ])
    func `variables that Kubernetes makes for a service are not ours`(name: String) throws {
        #expect(try read([name: "tcp://10.0.0.1:8080"]).settings == Settings())
    }
}
