import AttestTestKit
import KafkaTransport
import PostgresStore
import Worker

/// How to look around while the demo keeps running: lines to paste into another terminal.
struct DemoGuide {
    /// `host:port` of the embedded broker.
    let broker: String
    /// The connection string of the database.
    let database: String
    /// The folder with the database's socket.
    let socketFolder: String
    /// The topics.
    let topics: Settings.Topics
    /// A request that was accepted, and is whole without its headers; nil if there was none.
    let example: ReceivedVerdict.Source?

    /// The guide through a world in which everything was sent.
    init(
        _ world: EmbeddedWorld, _ postgres: TemporaryPostgres, example: ReceivedVerdict.Source?
    ) {
        broker = world.broker.bootstrapServers
        database = postgres.conninfo()
        socketFolder = postgres.folder
        topics = world.settings.kafka.topics
        self.example = example
    }

    /// The text.
    var lines: [String] {
        [
            "", "Everything keeps running. Kafka is at \(broker), PostgreSQL at", "",
            "  \(database)", "", "The last verdicts and dead letters of each partition:", "",
            "  " + read(topics.verdicts, "-o -2 -f '%k %s\\n'"),
            "  " + read(topics.deadLetters, "-o -2 -f '%h\\n'"), "",
        ] + onceMore + [
            "Keys and their sign counts; which lane has decided how far:", "",
            query(
                "SELECT encode(key_id, $$base64$$) AS key_id, subject, environment, sign_count"
                    + " FROM attest.keys ORDER BY sign_count DESC LIMIT 10"),
            query(
                "SELECT topic, partition, owner, next_offset FROM attest.partition_progress"
                    + " ORDER BY topic, partition"),
            "", "Ctrl-C ends it and deletes everything.",
        ]
    }

    private var onceMore: [String] {
        guard let example else { return [] }
        let place = "-p \(example.partition) -o \(example.offset) -c 1"
        return [
            "Send a request once more, as a gateway does that saw no answer; the same verdict comes"
                + " again,", "marked attest-redelivered=1:", "",
            "  " + read(example.topic, "\(place) -f '%k|%s\\n'")
                + " | kcat -b \(broker) -P -t \(example.topic) -K '|'",
            // Keys decide the partition, and both topics have as many.
            "  sleep 1; " + read(topics.verdicts, "-p \(example.partition) -o -1 -f '%h %s\\n'"),
            "",
        ]
    }

    private func read(_ topic: String, _ flags: String) -> String {
        "kcat -b \(broker) -C -e -q -t \(topic) \(flags)"
    }

    private func query(_ sql: String) -> String {
        "  psql -h \(socketFolder) -U postgres -c '\(sql)'"
    }
}
