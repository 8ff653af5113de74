import AppAttest
import KafkaTransport
import PostgresStore
import TraceExport
import Wire
import Worker

// Settings as the parts of the worker take them.

extension KafkaSettings {
    /// The settings of one lane.
    ///
    /// - Parameters:
    ///   - settings: what the operator set.
    ///   - lane: the lane's number; nil for a client that joins no group.
    init(_ settings: Settings.Kafka, lane: Int? = nil) {
        self.init(
            bootstrapServers: settings.bootstrapServers.joined(separator: ","),
            groupID: settings.groupID, requestTopics: settings.topics.requests,
            clientID: lane.map { "\(settings.clientID)-\($0)" } ?? settings.clientID)
        sessionTimeout = settings.sessionTimeout
        maxPollInterval = settings.maxPollInterval
        assignmentStrategy =
            switch settings.assignmentStrategy {
            case .range: .range
            case .roundRobin: .roundrobin
            case .cooperativeSticky: .cooperativeSticky
            }
        if let lane { groupInstanceID = settings.groupInstanceID.map { "\($0)-\(lane)" } }
        queuedKilobytesMax = settings.prefetchBytesMax / 1024
        properties = settings.properties
        tokenSource =
            settings.tokenPath.map { .file($0) }
            ?? (settings.tokenCommand.isEmpty ? nil : .command(settings.tokenCommand))
    }

    /// The settings of one lane, whose clients tell of themselves, within its part of the memory.
    init(_ settings: Settings, lane: Int, of lanes: Int) {
        self.init(settings.kafka, lane: lane)
        let plan = MemoryPlan(settings, lanes: lanes)
        queuedKilobytesMax = plan.prefetchBytesMax / 1024
        fetchBytesMax = plan.fetchBytesMax
        statisticsInterval = settings.operations.statisticsInterval
    }

    /// What librdkafka and the guarantees have against the settings, by the keys of the settings.
    static func problems(in reading: SettingsReader.Reading) -> [SettingProblem] {
        let problems = KafkaSettings(reading.settings.kafka, lane: 0).problems().filter { problem in
            // Whether there must be servers at all depends on the command.
            problem.setting != "bootstrapServers"
                || !reading.settings.kafka.bootstrapServers.isEmpty
        }
        return problems.map { problem in
            let key =
                switch problem.setting {
                case "groupID": "kafka.groupId"
                case "clientID": "kafka.clientId"
                case "groupInstanceID": "kafka.groupInstanceId"
                case "requestTopics": "kafka.topics.requests"
                case "queuedKilobytesMax": "kafka.prefetchBytesMax"
                case "tokenSource": "kafka.oauth.tokenPath"
                default: "kafka.\(problem.setting)"
                }
            let table = key.hasPrefix("kafka.properties.") ? "kafka.properties" : key
            return SettingProblem(
                key: key, origin: reading.origins[table] ?? .standard, message: problem.rule)
        }
    }
}

extension PostgresSettings {
    /// What libpq has against the settings; nothing of the string, which may hold a password.
    static func problems(in reading: SettingsReader.Reading) -> [SettingProblem] {
        guard !canRead(reading.settings.postgres.connection) else { return [] }
        let key = "postgres.connection"
        return [
            SettingProblem(
                key: key, origin: reading.origins[key] ?? .standard,
                message: "must be keywords with values, host=db dbname=attest, or a URI,"
                    + " postgresql://db/attest, as libpq reads them")
        ]
    }

    /// The settings of one connection.
    ///
    /// - Parameters:
    ///   - settings: what the operator set.
    ///   - owner: who claims partitions, for people who look into the table.
    init(_ settings: Settings, owner: String) {
        let postgres = settings.postgres
        self.init(conninfo: postgres.connection, group: settings.kafka.groupID, owner: owner)
        password = postgres.password
        let day: Int64 = 86_400_000
        inboxRetentionDays = Int((postgres.inboxRetention.wholeMilliseconds + day - 1) / day)
        auditRetentionDays = Int((settings.audit.retention.wholeMilliseconds + day - 1) / day)
        connectTimeoutSeconds = Int(postgres.connectTimeout.wholeMilliseconds / 1000)
        lockTimeoutMilliseconds = Int(postgres.lockTimeout.wholeMilliseconds)
        statementTimeoutMilliseconds = Int(postgres.statementTimeout.wholeMilliseconds)
        // The server's own error shall come before the client's.
        replyTimeoutMilliseconds =
            statementTimeoutMilliseconds + Int(CrossChecks.replyGrace.wholeMilliseconds)
        allowsAsynchronousCommit = postgres.allowsAsynchronousCommit
        isPooled = postgres.isPooled
    }
}

extension SpanExporter.Settings {
    /// Where spans go; nil where the settings want none.
    init?(_ traces: Settings.Traces, _ identity: WorkerIdentity) {
        guard let endpoint = traces.endpoint else { return nil }
        self.init(endpoint: endpoint)
        headers = traces.headers.map { ($0.name, $0.value) }
        caFile = traces.caPath
        timeout = traces.timeout
        interval = traces.interval
        batchSpansMax = traces.batchSpansMax
        queueSpansMax = traces.queueSpansMax
        version = identity.version
        resource = [
            "service.name": "attest-worker", "service.version": identity.version,
            "service.instance.id": identity.id,
        ]
    }
}

extension Policy {
    /// The policy that settings describe in which ``problems(in:)`` finds nothing.
    init(_ settings: Settings) {
        self.init(
            apps: settings.apps.flatMap { app -> [AppPolicy] in
                guard let anchor = trustAnchor(of: app), hasReceiptAnchorOrNone(app) else {
                    return []
                }
                return app.appIDs.map { appID in
                    AppPolicy(
                        relyingParty: RelyingParty(
                            appID: appID, environments: app.environments, trustAnchor: anchor),
                        rules: app.rules, isSimulated: app.isSimulated,
                        receiptAnchor: receiptAnchor(of: app), tokens: app.tokens.policy)
                }
            }, maxRequestAge: settings.worker.maxRequestAge,
            maxClockSkew: settings.worker.maxClockSkew)
        refresh = settings.receipts.access.map { _ in settings.receipts.rules }
        challenges = settings.challenges.policy
        artifacts = settings.artifacts.policy
        tokens = settings.tokens.policy
        document = PolicyDocument.of(settings)
    }

    /// Apps one of whose trust anchors is set and is none.
    static func problems(in reading: SettingsReader.Reading) -> [SettingProblem] {
        reading.settings.apps.enumerated().flatMap { position, app in
            [
                ("trustAnchor", trustAnchor(of: app) != nil),
                ("receiptTrustAnchor", hasReceiptAnchorOrNone(app)),
            ].filter { !$0.1 }.map { name, _ in
                SettingProblem(
                    key: "apps[\(position)].\(name)",
                    origin: reading.origins["apps"] ?? .standard,
                    message: "must be one self-signed CA certificate in PEM")
            }
        }
    }
}

/// The root that an app's receipts must chain to; nil where they are not judged.
private func receiptAnchor(of app: Settings.App) -> TrustAnchor? {
    guard let pem = app.receiptTrustAnchor else { return app.isSimulated ? nil : .appleRootG3 }
    return TrustAnchor(pem: pem)
}

/// Whether the root of receipts, where one is set, is a root.
private func hasReceiptAnchorOrNone(_ app: Settings.App) -> Bool {
    app.receiptTrustAnchor.map { TrustAnchor(pem: $0) != nil } ?? true
}

/// The root that an app's attestations must chain to; nil if what is set is no root.
private func trustAnchor(of app: Settings.App) -> TrustAnchor? {
    app.trustAnchor.map { TrustAnchor(pem: $0) } ?? .appleAppAttestRoot
}
