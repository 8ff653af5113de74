import AppAttest
import AttestTestKit
import Harness
import KafkaTransport
import Wire
import Worker

/// Topics, a group, a database and worker processes of their own for one test.
final class World {
    /// The name that all that is in it begins with.
    let name: String
    /// What its workers are told.
    private(set) var settings: WorkerSettings
    /// Their database.
    let database: Database
    /// Their broker.
    let broker: Broker
    /// The request topic.
    let requests: TopicTail
    /// The verdict topic.
    let verdicts: TopicTail
    /// The dead letters.
    let deadLetters: TopicTail

    /// All of its topics, that of requests first.
    let topics: [String]

    private let requestTopic: String
    private let folder: Folder
    private let settingsPath: String
    private let writer: TopicWriter
    private var workersStarted = 0
    private var commandsRun = 0
    private var verdictsRead = 0
    private var answered: [String: [[UInt8]]] = [:]

    /// Creates all of it but the workers.
    ///
    /// - Parameters:
    ///   - name: lower-case letters, digits and hyphens; once in a suite.
    ///   - partitions: how many each topic has.
    ///   - apps: the apps whose objects are judged.
    ///   - broker: another broker than the suite's, for tests that disturb it.
    ///   - database: a database that is there, on whatever server, for tests that disturb that.
    ///   - adjust: changes settings.
    /// - Throws: when one of them can't be made.
    init(
        _ name: String, partitions: Int = 2, apps: [WorkerSettings.App], broker: Broker? = nil,
        database: Database? = nil,
        adjust: (inout WorkerSettings) -> Void = { _ in }
    ) async throws {
        let servers = try Servers.shared()
        let broker = broker ?? servers.broker
        let database =
            if let database { database } else {
                try await Database.create(name, on: servers.postgres)
            }
        let group = broker.prefix + name
        let topics = WorkerSettings.Kafka.Topics(
            requests: [group + ".requests"], verdicts: group + ".verdicts",
            deadLetters: group + ".dead-letters")
        for topic in topics.requests + [topics.verdicts, topics.deadLetters] {
            try await broker.command("topic \(topic):\(partitions)")
        }
        var settings = WorkerSettings(
            kafka: .init(
                bootstrapServers: [broker.bootstrapServers], groupId: group, topics: topics),
            postgres: .init(connection: database.conninfo(as: .worker)), apps: apps)
        adjust(&settings)
        func tail(_ topic: String) throws -> TopicTail {
            try TopicTail(topic: topic, group: group, bootstrapServers: broker.bootstrapServers)
        }
        self.name = name
        self.settings = settings
        self.database = database
        self.broker = broker
        requestTopic = group + ".requests"
        self.topics = topics.requests + [topics.verdicts, topics.deadLetters]
        requests = try tail(requestTopic)
        verdicts = try tail(topics.verdicts)
        deadLetters = try tail(topics.deadLetters)
        folder = try Folder("attest-\(name)")
        settingsPath = try folder.write(settings.json, to: "settings.json")
        writer = try TopicWriter(
            settings: .ofGateway(
                bootstrapServers: broker.bootstrapServers, topics: topics.requests),
            log: { _ in })
    }

    /// The name of the verdict topic.
    var verdictTopic: String { settings.kafka.topics.verdicts }

    /// The name of the topic for changes of the risk metric; nil where no test needs one.
    var riskTopic: String? { settings.kafka.topics.risk }

    /// Changes the settings file, which running workers read again when they are told to.
    func change(_ adjust: (inout WorkerSettings) -> Void) throws {
        adjust(&settings)
        try replaceSettings(with: settings.json)
    }

    /// Puts any text in the place of the settings file.
    func replaceSettings(with text: String) throws {
        _ = try folder.write(text, to: "settings.json")
    }

    /// Writes a file beside the settings, and tells its path.
    func write(_ text: String, to name: String) throws -> String {
        try folder.write(text, to: name)
    }

    /// Starts one more worker.
    ///
    /// - Parameter environment: variables of its own.
    /// - Returns: the process, which may not have joined its group yet.
    /// - Throws: ``HarnessFailure`` when it can't be started.
    func startWorker(_ environment: [String: String] = [:]) async throws -> ChildProcess {
        workersStarted += 1
        return try await ChildProcess.start(
            BuildProducts.executable("attest-worker"), ["run", "--config", settingsPath],
            environment: environment, folder: folder, name: "worker-\(workersStarted)")
    }

    /// Starts another command with settings of its own, which runs on.
    func start(
        _ name: String, config path: String, _ environment: [String: String]
    ) async throws -> ChildProcess {
        commandsRun += 1
        return try await ChildProcess.start(
            BuildProducts.executable("attest-worker"), [name, "--config", path],
            environment: environment, folder: folder, name: "\(name)-\(commandsRun)")
    }

    /// Runs another command with the same settings to its end.
    ///
    /// - Parameters:
    ///   - name: one word, or two.
    ///   - arguments: what follows.
    /// - Returns: the process, which has ended.
    /// - Throws: ``HarnessFailure`` when it can't be started, or does not end.
    func runCommand(_ name: String, _ arguments: [String] = []) async throws -> ChildProcess {
        commandsRun += 1
        let process = try await ChildProcess.start(
            BuildProducts.executable("attest-worker"),
            name.split(separator: " ").map(String.init) + arguments + ["--config", settingsPath],
            folder: folder, name: "command-\(commandsRun)")
        _ = try await process.waitForEnd(within: .seconds(60))
        return process
    }

    /// Runs a command on the database as an operator's role does, to its end.
    func runOperator(_ name: String, _ arguments: [String]) async throws -> ChildProcess {
        let process = try await ChildProcess.start(
            BuildProducts.executable("attest-worker"),
            [name] + arguments + [
                "--config", settingsPath,
                "--postgres.connection=\(database.conninfo(as: .operator))",
            ], folder: folder,
            name: "\(name)-\(UInt64.random(in: 0...UInt64.max))")
        _ = try await process.waitForEnd(within: .seconds(60))
        return process
    }

    /// Puts records on the request topic and waits until the broker has them.
    func send(_ records: some Sequence<SentRecord>) throws {
        for record in records {
            try writer.write(
                OutgoingRecord(
                    topic: requestTopic, key: record.key, value: record.value,
                    headers: record.headers),
                partition: record.partition, timestampMilliseconds: record.timestamp?.milliseconds)
        }
        try writer.flush(wait: .seconds(20))
    }

    /// Every verdict published so far by what it answers, in order of publication.
    ///
    /// - Returns: the value's bytes of each, under the request's id or else the record's place.
    func answers() async throws -> [String: [[UInt8]]] {
        let records = try await verdicts.readOn()
        for record in records.dropFirst(verdictsRead) {
            guard let value = record.value else { throw HarnessFailure("a verdict without value") }
            let verdict = try ReceivedVerdict(parsing: value)
            let place = World.identity(partition: verdict.source.partition, verdict.source.offset)
            answered[verdict.requestId ?? place, default: []].append(value)
        }
        verdictsRead = records.count
        return answered
    }

    /// What identifies a request without an id.
    static func identity(partition: Int32, _ offset: Int64) -> String {
        "partition \(partition), offset \(offset)"
    }
}
