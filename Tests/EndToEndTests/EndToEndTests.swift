import Harness
import Testing

/// The real worker, in processes of its own, over TCP with a broker and a database server.
///
/// The broker is librdkafka's mock cluster: it proves nothing about replication or durability.
@Suite(.serialized, .servers)
enum EndToEndTests {}
