/// Rules that span several settings.
enum SettingsRules {
    /// What is wrong with settings that are right one by one.
    ///
    /// - Parameters:
    ///   - reading: the settings and where they came from.
    ///   - required: keys that must have been set.
    ///   - noted: keys with which something is wrong by themselves.
    /// - Returns: nothing if all is well.
    static func problems(
        of reading: SettingsReader.Reading, required: [String], noted: [String]
    ) -> [SettingProblem] {
        let settings = reading.settings
        var problems: [SettingProblem] = []
        func demand(_ holds: Bool, _ key: String, _ message: String) {
            guard !holds else { return }
            let origin = reading.origins[key] ?? .standard
            problems.append(SettingProblem(key: key, origin: origin, message: message))
        }
        for setting in SettingsTable.all where required.contains(setting.key) {
            demand(
                reading.origins[setting.key] != nil, setting.key,
                "must be set, in the file, as --\(setting.key) or as \(setting.variable)")
        }
        let appIDs = settings.apps.flatMap(\.appIDs).filter { !$0.isEmpty }
        demand(
            Set(appIDs).count == appIDs.count, "apps",
            "must have each app id once, those in moreAppIds included")
        let topics = settings.kafka.topics
        demand(
            !topics.requests.contains(topics.verdicts), "kafka.topics.verdicts",
            "must not be a request topic: the worker would read its own verdicts")
        demand(
            !topics.requests.contains(topics.deadLetters), "kafka.topics.deadLetters",
            "must not be a request topic: a dead letter would come back for ever")
        demand(
            topics.deadLetters != topics.verdicts, "kafka.topics.deadLetters",
            "must not be the verdict topic: its readers expect verdicts only")
        demand(
            topics.replies.map { !(topics.all + [topics.risk]).contains($0) } ?? true,
            "kafka.topics.replies", "must be a topic of its own: gateways read it")
        demand(
            settings.kafka.sessionTimeout <= settings.kafka.maxPollInterval,
            "kafka.maxPollInterval", "must not be shorter than kafka.sessionTimeout")
        demand(
            settings.postgres.statementTimeout < settings.kafka.maxPollInterval,
            "postgres.statementTimeout",
            "must be shorter than kafka.maxPollInterval, or a slow statement loses the partitions")
        demand(
            settings.postgres.lockTimeout <= settings.postgres.statementTimeout,
            "postgres.lockTimeout", "must not be longer than postgres.statementTimeout")
        return problems + appProblems(of: reading, noted: noted) + operationsProblems(of: reading)
            + tokenProblems(of: reading) + receiptProblems(of: reading)
            + challengeProblems(of: reading, noted: noted) + artifactProblems(of: reading)
            + webTokenProblems(of: reading, noted: noted)
            + resourceProblems(of: reading)
    }

    private static func appProblems(
        of reading: SettingsReader.Reading, noted: [String]
    ) -> [SettingProblem] {
        var problems: [SettingProblem] = []
        for (position, app) in reading.settings.apps.enumerated() {
            func demandOfApp(_ holds: Bool, _ name: String, _ message: String) {
                guard !holds else { return }
                problems.append(
                    SettingProblem(
                        key: "apps[\(position)].\(name)",
                        origin: reading.origins["apps"] ?? .standard, message: message))
            }
            // Two marks, so that no slip of one hand puts Apple's root out of force.
            demandOfApp(
                app.trustAnchor == nil || app.isSimulated, "trustAnchor",
                "must not be set unless the app is marked \"simulated\": true, as whoever holds the"
                    + " root's key can forge its attestations")
            demandOfApp(
                app.receiptTrustAnchor == nil || app.isSimulated, "receiptTrustAnchor",
                "must not be set unless the app is marked \"simulated\": true, as whoever holds the"
                    + " root's key can forge its receipts")
            let isReceiptAnchorNoted = noted.contains {
                $0.hasPrefix("apps[\(position)].receiptTrustAnchor")
            }
            demandOfApp(
                app.rules.receipt != .required || !app.isSimulated
                    || app.receiptTrustAnchor != nil || isReceiptAnchorNoted, "receipt",
                "must not be required of a simulated app without a receiptTrustAnchor: Apple makes"
                    + " it no receipts")
            // One that was given and can't be read was told already.
            let isAnchorNoted = noted.contains { $0.hasPrefix("apps[\(position)].trustAnchor") }
            demandOfApp(
                app.trustAnchor != nil || !app.isSimulated || isAnchorNoted, "simulated",
                "must not be true without a trustAnchor: Apple attests no simulated device")
            let time = app.rules.requestTime
            demandOfApp(
                time.maxAge.map { $0 <= reading.settings.worker.maxRequestAge } ?? true,
                "requestTime.maxAge",
                "must not be longer than worker.maxRequestAge, which bounds all apps")
            demandOfApp(
                time.maxSkew.map { $0 <= reading.settings.worker.maxClockSkew } ?? true,
                "requestTime.maxSkew",
                "must not be longer than worker.maxClockSkew, which bounds all apps")
        }
        return problems
    }

    private static func tokenProblems(of reading: SettingsReader.Reading) -> [SettingProblem] {
        let kafka = reading.settings.kafka
        guard kafka.tokenPath != nil, !kafka.tokenCommand.isEmpty else { return [] }
        let key = "kafka.oauth.tokenCommand"
        return [
            SettingProblem(
                key: key, origin: reading.origins[key] ?? .standard,
                message: "must not be set beside kafka.oauth.tokenPath")
        ]
    }
}
