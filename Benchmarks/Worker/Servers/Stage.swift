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
    private static let fetchWait = "2"

    let traffic: Traffic
    let folder: Folder
    let server: DatabaseServer
    let options: Options
    private let broker: Broker
    private let brokerProcess: pid_t
    private var runs = 0
    private var latest: Run?

    /// Starts servers and fills the database.
    ///
    /// - Parameter options: how many keys ask, and how many of them and of decided requests are
    ///   stored before the first run.
    /// - Throws: when a server can't be started or filled.
    init(_ options: Options) async throws {
        self.options = options
        traffic = Traffic(deviceCount: options.keys, skew: options.skew)
        folder = try Folder("attest-benchmark")
        broker = try await Broker.start(folder: folder, name: "broker")
        guard let process = CPUTime.child(called: "MockBroker") else {
            throw HarnessFailure("the broker's process is not found in /proc")
        }
        brokerProcess = process
        server = try await DatabaseServer(folder: folder)
        // Without history, statistics of empty tables would be measured.
        try await server.store(keys: options.stored, asking: traffic.keyLines)
        try await server.store(requests: options.history)
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
        for name in names { try await makeTopic(name, partitions: partitions) }
        var settings = WorkerSettings(
            kafka: .init(
                bootstrapServers: [broker.bootstrapServers], groupId: "benchmark-\(runs)",
                topics: .init(requests: [names[0]], verdicts: names[1], deadLetters: names[2])),
            postgres: .init(connection: server.database.conninfo), apps: [traffic.app])
        settings.kafka.properties["fetch.wait.max.ms"] = Self.fetchWait
        settings.log.level = "info"
        settings.worker.lanes = lanes
        settings.worker.batchRecordsMax = batch
        settings.worker.idleWait = "500ms"
        settings.operations.statisticsInterval = "5s"
        let path = try folder.write(settings.json, to: "settings-\(runs).json")
        let run = Run(requests: names[0], verdicts: names[1], settingsPath: path)
        latest = run
        return run
    }

    /// Makes a topic.
    func makeTopic(_ name: String, partitions: Int = Stage.partitions) async throws {
        try await broker.command("topic \(name):\(partitions)")
    }

    /// Writes requests into a topic, and waits until the broker has them.
    func write(_ records: [SentRecord], to topic: String) throws {
        let writer = try writer(to: topic)
        for record in records {
            try writer.write(
                OutgoingRecord(
                    topic: topic, key: record.key, value: record.value, headers: record.headers))
        }
        try writer.flush(wait: .seconds(60))
    }

    /// Starts a worker of a run.
    func startWorker(_ run: Run, name: String) async throws -> ChildProcess {
        try await ChildProcess.start(
            BuildProducts.executable("attest-worker"), ["run", "--config", run.settingsPath],
            folder: folder, name: "\(name)-\(runs)")
    }

    /// Starts one more worker of the latest run.
    func startAnother() async throws -> ChildProcess {
        guard let latest else { throw HarnessFailure("no run was prepared") }
        return try await startWorker(latest, name: "another")
    }

    /// What is stored, and who asks.
    static func described(_ stage: Stage) -> String {
        let contents = stage.server.contents
        return "\(contents.keys) keys stored, \(stage.options.keys) asking "
            + "(\(stage.options.skew)), \(contents.requests) decided requests, "
            + "\(Stage.partitions) partitions"
    }

    /// Who writes requests.
    private func writer(to topic: String) throws -> TopicWriter {
        try TopicWriter(
            settings: .ofGateway(bootstrapServers: broker.bootstrapServers, topics: [topic]),
            log: { _ in })
    }

    /// Who follows the verdicts.
    func follower(_ run: Run) throws -> TopicFollower {
        try TopicFollower(
            topic: run.verdicts, group: "nobody", bootstrapServers: broker.bootstrapServers)
    }

    /// Who reads a topic's records as they come.
    func reader(of topic: String) throws -> TopicReader {
        var settings = KafkaSettings(
            bootstrapServers: broker.bootstrapServers, groupID: "nobody",
            requestTopics: [topic])
        settings.properties["fetch.wait.max.ms"] = Self.fetchWait
        return try TopicReader(topic: topic, settings: settings, log: { _ in })
    }

    /// CPU seconds of the broker so far.
    func brokerSeconds() -> Double { CPUTime.seconds(of: brokerProcess) }
}
