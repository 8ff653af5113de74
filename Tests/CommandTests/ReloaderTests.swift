import KafkaTransport
import PostgresStore
import Synchronization
import Testing
import Worker

@testable import attest_worker

@Suite struct ReloaderTests {
    /// Settings as a file would give them at this moment.
    private final class Source: Sendable {
        let settings = Mutex(Settings())
        let problems = Mutex<[SettingProblem]>([])

        func read() throws(InvalidSettings) -> Settings {
            let problems = problems.withLock { $0 }
            guard problems.isEmpty else { throw InvalidSettings(problems: problems) }
            return settings.withLock { $0 }
        }

        func change(_ adjust: (inout Settings) -> Void) {
            settings.withLock { adjust(&$0) }
        }
    }

    private let source = Source()
    private let test = TestConsole()
    private let live: LiveSettings
    private let log: Log
    private let reloader: Reloader

    init() {
        source.change { settings in
            settings.postgres.password = "first-secret"
            settings.kafka.properties = ["sasl.username": "me", "sasl.password": "first-secret"]
        }
        let settings = source.settings.withLock { $0 }
        live = LiveSettings(settings)
        let console = test.console()
        log = Log(level: .info, format: .json, clock: console.clock, sink: console.writeError)
        reloader = Reloader(settings, live: live, log: log) { [source] () throws(InvalidSettings) in
            try source.read()
        }
    }

    private func has(_ parts: String...) -> Bool {
        test.errorText.split(separator: "\n").contains { line in
            parts.allSatisfy { line.contains($0) }
        }
    }

    @Test func `each part gets its new value, and no secret is told`() {
        source.change { settings in
            var app = Settings.App()
            app.appID = "TEAM.app"
            settings.apps = [app]
            settings.postgres.password = "second-secret"
            settings.kafka.properties["sasl.password"] = "second-secret"
            settings.log.level = .warning
        }
        reloader.reload()
        var seen = 0
        #expect(live.policy.newer(than: &seen)?.apps.keys.sorted() == ["TEAM.app"])
        #expect(live.database.value.password == "second-secret")
        #expect(live.kafka.value?.password == "second-secret")
        #expect(log.level == .warning)
        #expect(!test.errorText.contains("secret"))
        // Read once more, nothing differs: no part is replaced again.
        reloader.reload()
        #expect(live.policy.newer(than: &seen) == nil)
    }

    @Test func `files that no client can be made with change nothing`() {
        let refusal = Fault(
            operation: "make a client", code: "tls", disposition: .stop(.config), message: "no key")
        let reloader = Reloader(
            source.settings.withLock { $0 }, live: live, log: log,
            tryClient: { (_) throws(Fault) in throw refusal }
        ) { [source] () throws(InvalidSettings) in try source.read() }
        source.change {
            $0.kafka.properties["ssl.key.location"] = "/key"
            $0.postgres.password = "second-secret"
        }
        reloader.reload()
        #expect(live.clients.currentVersion == 0)
        #expect(live.database.value.password == "first-secret")
        #expect(has(#""event":"reload_failed""#, "no key"))
    }

    @Test func `a list of revocations that can't be read changes nothing`() {
        source.change {
            $0.revocations.path = "/nowhere/list"
            $0.postgres.password = "second-secret"
        }
        reloader.reload()
        #expect(live.database.value.password == "first-secret")
        #expect(has(#""event":"reload_failed""#, "revocations.path: /nowhere/list is no file"))
    }

    @Test func `what was taken over is told by its keys`() {
        source.change { $0.postgres.password = "second-secret" }
        reloader.reload()
        #expect(has(#""event":"settings_reloaded""#, #""taken_over":"postgres.password""#))
        #expect(!has("restart_needed"))
    }

    @Test func `wrong settings change nothing and are told in one line`() {
        source.change { $0.postgres.password = "second-secret" }
        source.problems.withLock {
            $0 = [
                SettingProblem(
                    key: "worker.lanes", origin: .file("a.json5"), message: "must be a number"),
                SettingProblem(key: "apps", origin: .standard, message: "must be set"),
            ]
        }
        reloader.reload()
        #expect(live.database.value.password == "first-secret")
        #expect(live.reloads.value.hasLastFailed)
        #expect(
            has(
                #""level":"error","event":"reload_failed""#,
                "worker.lanes (file a.json5) must be a number; apps must be set",
                #""problems":2"#))
        // Once they are mended they are taken over.
        source.problems.withLock { $0 = [] }
        reloader.reload()
        #expect(live.database.value.password == "second-secret")
        #expect(!live.reloads.value.hasLastFailed)
        reloader.tellState()
        #expect(has(#""event":"worker_state""#, #""reloads":1"#, #""reloads_failed":1"#))
    }

    @Test func `what needs a restart is told at every reload`() {
        source.change { $0.worker.count = 7 }
        reloader.reload()
        reloader.reload()
        let told = test.errorText.split(separator: "\n").count { line in
            line.contains(#""level":"warning","event":"restart_needed""#)
                && line.contains(#""settings":"worker.lanes""#)
        }
        #expect(told == 2)
    }

    @Test func `debug lines are switched on and off over whatever the settings say`() {
        reloader.toggleDebugging()
        #expect(log.level == .debug)
        source.change { $0.log.level = .error }
        reloader.reload()
        #expect(log.level == .debug)
        reloader.toggleDebugging()
        #expect(log.level == .error)
    }
}
