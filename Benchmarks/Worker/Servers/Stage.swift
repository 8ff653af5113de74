import Foundation
import Glibc
import Harness
import KafkaTransport
import PostgresStore
import Wire
import Worker

/// A broker, a database with its keys and its history, and workers that are started on them.
final class Stage {
    /// How many partitions request and verdict topics have.
    static let partitions = 16
    /// Milliseconds that a fetch waits for records: the mock broker lets it wait so long even when
    /// one comes meanwhile, which a broker does not.
    private static let fetchWait = "5"
    private static let fillPatience: Duration = .seconds(1800)

    let traffic: Traffic
    let folder: Folder
    let database: Database
    private let broker: Broker
    private let postgres: TemporaryPostgres
    private let postmaster: pid_t
    private let brokerProcess: pid_t
    private var runs = 0

    /// Starts servers and fills the database.
    ///
    /// - Parameters:
    ///   - options: how many keys and how many decided requests are stored before the first run.
    ///   - traffic: whose keys are registered.
    /// - Throws: when a server can't be started or filled.
    init(_ options: Options, traffic: Traffic) async throws {
        self.traffic = traffic
        folder = try Folder("attest-benchmark")
        broker = try await Broker.start(folder: folder, name: "broker")
        var server = TemporaryPostgres.Options()
        server.isDurable = true
        server.settings = ["shared_buffers = 512MB", "max_wal_size = 4GB"]
        postgres = try TemporaryPostgres(server)
        database = try await Database.create("benchmark", on: postgres, migrated: false)
        try await database.migrate(folder)
        let pidFile = try String(
            contentsOfFile: postgres.folder + "/data/postmaster.pid", encoding: .utf8)
        guard let process = pidFile.split(separator: "\n").first.flatMap({ pid_t($0) }),
            let brokerProcess = CPUTime.child(called: "MockBroker")
        else { throw HarnessFailure("the servers' processes are not found in /proc") }
        postmaster = process
        self.brokerProcess = brokerProcess
        try await fill(options)
    }

    /// Where the broker listens.
    var bootstrapServers: String { broker.bootstrapServers }

    /// One run's topics, settings and processes.
    struct Run {
        let requests: String
        let verdicts: String
        let settingsPath: String
    }

    /// Prepares topics and settings of a run.
    func prepare(lanes: Int, batch: Int, partitions: Int = Stage.partitions) async throws -> Run {
        runs += 1
        let names = ["requests", "verdicts", "dead-letters"].map { "\($0)-\(runs)" }
        for name in names { try await broker.command("topic \(name):\(partitions)") }
        var settings = WorkerSettings(
            kafka: .init(
                bootstrapServers: [broker.bootstrapServers], groupId: "benchmark-\(runs)",
                topics: .init(requests: [names[0]], verdicts: names[1], deadLetters: names[2])),
            postgres: .init(connection: database.conninfo), apps: [traffic.app])
        settings.kafka.properties["fetch.wait.max.ms"] = Self.fetchWait
        settings.log.level = "info"
        settings.worker.lanes = lanes
        settings.worker.batchRecordsMax = batch
        settings.worker.idleWait = "500ms"
        settings.operations.statisticsInterval = "5s"
        let path = try folder.write(settings.json, to: "settings-\(runs).json")
        return Run(requests: names[0], verdicts: names[1], settingsPath: path)
    }

    /// Starts a worker of a run.
    func startWorker(_ run: Run, name: String) async throws -> ChildProcess {
        try await ChildProcess.start(
            BuildProducts.executable("attest-worker"), ["run", "--config", run.settingsPath],
            folder: folder, name: "\(name)-\(runs)")
    }

    /// Who writes requests, on whatever thread.
    func writer(_ run: Run) throws -> TopicWriter {
        try TopicWriter(
            settings: .ofGateway(bootstrapServers: broker.bootstrapServers, topics: [run.requests]),
            log: { _ in })
    }

    /// Who follows the verdicts.
    func follower(_ run: Run) throws -> TopicFollower {
        try TopicFollower(
            topic: run.verdicts, group: "nobody", bootstrapServers: broker.bootstrapServers)
    }

    /// Who reads verdicts as they come.
    func reader(_ run: Run) throws -> TopicReader {
        var settings = KafkaSettings(
            bootstrapServers: broker.bootstrapServers, groupID: "nobody",
            requestTopics: [run.verdicts])
        settings.properties["fetch.wait.max.ms"] = Self.fetchWait
        return try TopicReader(topic: run.verdicts, settings: settings, log: { _ in })
    }

    /// CPU seconds of the database server and of the broker so far.
    func serverSeconds() -> (database: Double, broker: Double) {
        (CPUTime.secondsOfFamily(of: postmaster), CPUTime.seconds(of: brokerProcess))
    }

    /// Registers the keys, and stores what a system has that has worked for a while: without that,
    /// statistics of empty tables would be measured.
    private func fill(_ options: Options) async throws {
        let columns = "key_id, app_id, environment, public_key, sign_count, status, attested_by"
        let lines = try folder.write(traffic.keyLines, to: "keys.tsv")
        let script = """
            \\copy attest.keys (\(columns)) FROM '\(lines)'
            INSERT INTO attest.keys (\(columns))
            SELECT sha256(int8send(i)), '\(Traffic.appID)', 'production',
                '\\x04'::bytea || sha256(int8send(i + 1)) || sha256(int8send(i + 2)), 1, 'active',
                'simulated'
            FROM generate_series(1, \(max(0, options.stored - options.keys))) AS i;
            INSERT INTO attest.inbox (request, content_digest, verdict)
            SELECT md5('history' || i)::uuid, sha256(int8send(i)), convert_to(repeat('v', 300), 'UTF8')
            FROM generate_series(1, \(options.history)) AS i;
            VACUUM ANALYZE;
            CHECKPOINT;
            """
        let path = try folder.write(script, to: "fill.sql")
        let client = try await ChildProcess.start(
            "psql", ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", database.conninfo, "-f", path],
            folder: folder, name: "fill")
        let end = try await client.waitForEnd(within: Self.fillPatience)
        guard end == .exited(0) else { throw HarnessFailure("filling the database: \(client)") }
    }
}
