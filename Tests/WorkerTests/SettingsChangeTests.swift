import Testing

@testable import Worker

@Suite struct SettingsChangeTests {
    var old = Settings()

    func change(
        isSameDatabase: Bool = false, _ adjust: (inout Settings) -> Void
    ) -> SettingsChange {
        var new = old
        adjust(&new)
        return SettingsChange(from: old, to: new) { _, _ in isSameDatabase }
    }

    @Test func `the same settings change nothing`() {
        let change = change { _ in }
        #expect(change.takenOver.isEmpty && change.needingRestart.isEmpty)
        #expect(change.inForce == old)
    }

    @Test func `what may change while lanes run is taken over`() {
        let change = change { new in
            var app = Settings.App()
            app.appID = "TEAM.app"
            new.apps = [app]
            new.worker.maxRequestAge = .seconds(60)
            new.worker.maxClockSkew = .seconds(1)
            new.log.level = .debug
            new.postgres.password = "two"
            new.kafka.properties["sasl.password"] = "two"
        }
        #expect(
            change.takenOver == [
                "kafka.properties.sasl.password", "postgres.password", "worker.maxRequestAge",
                "worker.maxClockSkew", "apps", "log.level",
            ])
        #expect(change.needingRestart.isEmpty)
        #expect(change.inForce.apps.map(\.appID) == ["TEAM.app"])
        #expect(change.inForce.worker.maxRequestAge == .seconds(60))
        #expect(change.inForce.worker.maxClockSkew == .seconds(1))
        #expect(change.inForce.log.level == .debug)
        #expect(change.inForce.postgres.password == "two")
        #expect(change.inForce.kafka.properties == ["sasl.password": "two"])
    }

    @Test func `secrets of challenges and artifacts are taken over`() {
        let change = change { new in
            new.challenges.secret = "new"
            new.challenges.previousSecret = "old"
            new.artifacts.secret = "newer"
            new.artifacts.lifetime = .seconds(7200)
        }
        #expect(
            change.takenOver == [
                "challenges.secret", "challenges.previousSecret", "artifacts.secret",
                "artifacts.lifetime",
            ])
        #expect(change.needingRestart.isEmpty)
        #expect(change.inForce.challenges.secret == "new")
        #expect(change.inForce.challenges.previousSecret == "old")
        #expect(change.inForce.artifacts.secret == "newer")
        #expect(change.inForce.artifacts.lifetime == .seconds(7200))
    }

    @Test func `everything else needs a restart, and stays as it was`() {
        let change = change { new in
            new.kafka.groupID = "other"
            new.kafka.topics.requests = ["other"]
            new.kafka.properties = ["linger.ms": "7"]
            new.worker.count = 3
            new.worker.limits.batch.recordsMax = 7
            new.log.format = .text
        }
        #expect(change.takenOver.isEmpty)
        #expect(
            change.needingRestart == [
                "kafka.groupId", "kafka.topics.requests", "kafka.properties.linger.ms",
                "worker.lanes", "worker.batchRecordsMax", "log.format",
            ])
        #expect(change.inForce == old)
    }

    @Test(arguments: [true, false])
    func `a connection string is taken over if it leads to the same database`(isSame: Bool) {
        let change = change(isSameDatabase: isSame) { $0.postgres.connection = "password=two" }
        #expect(change.takenOver == (isSame ? ["postgres.connection"] : []))
        #expect(change.needingRestart == (isSame ? [] : ["postgres.connection"]))
        #expect(change.inForce.postgres.connection == (isSame ? "password=two" : ""))
    }

    @Test func `how connections are secured is taken over by new clients`() {
        var tests = self
        tests.old.kafka.properties = ["sasl.password": "one", "linger.ms": "7"]
        let change = tests.change { new in
            new.kafka.properties = ["ssl.key.location": "/key", "security.protocol": "ssl"]
            new.kafka.tokenPath = "/token"
        }
        #expect(change.renewsClients)
        #expect(
            change.takenOver == [
                "kafka.oauth.tokenPath", "kafka.properties.sasl.password",
                "kafka.properties.security.protocol", "kafka.properties.ssl.key.location",
            ])
        #expect(change.needingRestart == ["kafka.properties.linger.ms"])
        #expect(
            change.inForce.kafka.properties == [
                "ssl.key.location": "/key", "security.protocol": "ssl", "linger.ms": "7",
            ])
        #expect(change.inForce.kafka.tokenPath == "/token")
    }

    @Test func `another password alone needs no new clients`() {
        var tests = self
        tests.old.kafka.properties = ["sasl.password": "one"]
        let change = tests.change { $0.kafka.properties = ["sasl.password": "two"] }
        #expect(change.takenOver == ["kafka.properties.sasl.password"])
        #expect(!change.renewsClients)
    }

    @Test func `where spans go is taken over, whether there are any is not`() {
        var tests = self
        tests.old.traces.endpoint = "http://a/"
        let moved = tests.change {
            $0.traces.endpoint = "http://b/"
            $0.traces.timeout = .seconds(1)
        }
        #expect(moved.takenOver == ["traces.endpoint", "traces.timeout"])
        #expect(moved.inForce.traces.endpoint == "http://b/")
        let ended = tests.change { $0.traces.endpoint = nil }
        #expect(ended.needingRestart == ["traces.endpoint"])
        #expect(ended.inForce == tests.old)
    }

    @Test func `every setting that differs is told, whichever it is`() {
        // A setting that is neither taken over nor told would be lost on a reload.
        let keys = Set(SettingsTable.all.map(\.key))
        #expect(SettingsChange.liveKeys.isSubset(of: keys))
        let page = SettingsPage.reference()
        for key in SettingsChange.liveKeys {
            let entry = page.components(after: "### `\(key)`")
            #expect(entry.contains("- taken over on SIGHUP"), "\(key)")
        }
    }
}

extension String {
    /// The text from a heading to the next.
    fileprivate func components(after heading: String) -> String {
        guard let start = firstRange(of: heading)?.upperBound else { return "" }
        let rest = self[start...]
        return String(rest[..<(rest.firstRange(of: "\n#")?.lowerBound ?? rest.endIndex)])
    }
}
