import KafkaTransport
import PostgresStore
import Worker

/// What lanes take over while they run, each at a moment of its own choice.
struct LiveSettings: Sendable {
    /// What is judged against: between two batches.
    let policy: Live<Policy>
    /// How new sessions reach the database.
    let database: Live<DatabaseAccess>
    /// As whom new connections to brokers introduce themselves.
    let kafka: Live<SASLCredentials?>
    /// How a lane's Kafka clients connect: replaced where they must be made anew.
    let clients: Live<Settings.Kafka>
    /// Where spans go: replaced at each reload, as the files behind it may have changed.
    let traces: Live<Settings.Traces>
    /// What is revoked beside the database: between two batches.
    let revocations = Live(RevocationList.none)
    /// Who asks Apple for receipts.
    let provider: Live<ProviderAccess?>
    /// How often all of it was read again; told in the metrics.
    let reloads = Live(SettingsReloads())

    /// The parts of settings that are in force.
    init(_ settings: Settings) {
        policy = Live(Policy(settings))
        database = Live(DatabaseAccess(settings))
        kafka = Live(KafkaSettings(settings.kafka).credentials)
        clients = Live(settings.kafka)
        traces = Live(settings.traces)
        provider = Live(settings.receipts.access)
    }

    /// Hands the lanes what differs.
    ///
    /// - Parameters:
    ///   - settings: what is in force from now on.
    ///   - old: what was until now.
    ///   - renewsClients: whether the lanes' Kafka clients must be made anew.
    func replace(
        with settings: Settings, insteadOf old: Settings, renewsClients: Bool = false
    ) {
        traces.replace(with: settings.traces)
        let (new, former) = (Policy(settings), Policy(old))
        if new != former { policy.replace(with: new) }
        if DatabaseAccess(settings) != DatabaseAccess(old) {
            database.replace(with: DatabaseAccess(settings))
        }
        if settings.receipts.access != old.receipts.access {
            provider.replace(with: settings.receipts.access)
        }
        let credentials = KafkaSettings(settings.kafka).credentials
        if credentials != KafkaSettings(old.kafka).credentials {
            kafka.replace(with: credentials)
        }
        if renewsClients { clients.replace(with: settings.kafka) }
    }
}

extension DatabaseAccess {
    /// As the settings have it.
    fileprivate init(_ settings: Settings) {
        self.init(conninfo: settings.postgres.connection, password: settings.postgres.password)
    }
}
