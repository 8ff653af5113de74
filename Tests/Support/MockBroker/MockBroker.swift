import Glibc
import KafkaTransport
import Worker

/// A Kafka cluster in a process of its own, for tests.
///
/// Prints its bootstrap address as the first line, then obeys the lines of standard input, each
/// answered by `ok` or by `error` and the reason; ends when standard input does. With `--bootstrap`
/// it stands in front of a cluster that is there already, and only makes topics in it and
/// lets them grow.
@main
enum MockBroker {
    nonisolated static func main() {
        do throws(Fault) {
            let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
            if let address = arguments.bootstrapServers {
                return try standBefore(OtherCluster(bootstrapServers: address), arguments)
            }
            let broker = try EmbeddedBroker(brokerCount: arguments.brokers)
            for topic in arguments.topics {
                try broker.createTopic(topic.name, partitions: topic.partitions)
            }
            say(broker.bootstrapServers)
            let console = Console(broker: broker)
            while let line = readLine() { say(console.obey(line)) }
        } catch {
            say("error \(error)")
            exit(EX_USAGE)
        }
    }

    private nonisolated static func standBefore(
        _ cluster: OtherCluster, _ arguments: Arguments
    ) throws(Fault) {
        for topic in arguments.topics {
            try cluster.createTopic(topic.name, partitions: topic.partitions)
        }
        say(cluster.bootstrapServers)
        while let line = readLine() {
            do throws(Fault) {
                try cluster.obey(line.split(separator: " ").map(String.init))
                say("ok")
            } catch {
                say("error \(error)")
            }
        }
    }
}

/// Prints a line at once, also into a pipe.
private func say(_ line: String) {
    print(line)
    fflush(nil)
}

/// The command line: `--topic name:partitions`, repeated; `--brokers count`; `--bootstrap address`.
struct Arguments {
    var topics: [(name: String, partitions: Int)] = []
    var brokers = 1
    var bootstrapServers: String?

    init(_ arguments: [String]) throws(Fault) {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { throw usage("\(option) needs a value") }
            switch option {
            case "--topic":
                topics.append(try Arguments.topic(value))
            case "--bootstrap":
                bootstrapServers = value
            case "--brokers":
                guard let count = Int(value), count > 0 else { throw usage("bad count \(value)") }
                brokers = count
            default:
                throw usage("unknown option \(option)")
            }
        }
    }

    static func topic(_ text: String) throws(Fault) -> (name: String, partitions: Int) {
        let parts = text.split(separator: ":")
        guard parts.count == 2, let name = parts.first, let count = parts.last.flatMap({ Int($0) }),
            count > 0
        else { throw usage("bad topic \(text), expected name:partitions") }
        return (String(name), count)
    }
}

func usage(_ text: String) -> Fault {
    Fault(operation: "read a command", code: "usage", disposition: .stop(.usage), message: text)
}
