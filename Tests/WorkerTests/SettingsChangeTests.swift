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

    @Test func `credentials that are taken away need a restart`() {
        var tests = self
        tests.old.kafka.properties = ["sasl.password": "one"]
        let change = tests.change { $0.kafka.properties = [:] }
        #expect(change.needingRestart == ["kafka.properties.sasl.password"])
        #expect(change.inForce == tests.old)
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
