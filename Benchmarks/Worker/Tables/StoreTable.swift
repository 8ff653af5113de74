import AppAttest
import BenchmarkSupport
import Foundation
import Harness
import LibCrypto
import PostgresStore
import Worker

/// The store alone: decided requests a second by connections and by size of a batch.
enum StoreTable {
    private static let secondsOfRun = 3.0
    private static let verdictBytes = 400
    private static let keysOfConnection = 2000
    private static let batches = [1, 10, 50, 200, 500, 1000]

    static func measure(_ stage: Stage) async throws -> Table {
        var table = Table(
            "store",
            title: "The store alone, verdicts of \(verdictBytes) bytes, every commit on the disk",
            [
                .init("connections", "connections"), .init("batch", "batch"),
                .init("requests/s", "perSecond"), .init("ms a batch", "batchMilliseconds"),
                .init("round trips a batch", "roundTrips"), .init("rows a batch", "rows"),
                .init("PostgreSQL µs a request", "databaseMicroseconds"),
                .init("client µs a request", "clientMicroseconds"),
                .init("log bytes a request", "logBytes"),
            ])
        say(table.head)
        for connections in stage.options.connections {
            for batch in batches {
                say(table.add(try await row(stage, connections: connections, batch: batch)))
            }
        }
        return table
    }

    private static func row(
        _ stage: Stage, connections: Int, batch: Int
    ) async throws -> [Table.Cell] {
        let server = stage.server
        let conninfo = server.database.conninfo
        // The first writes of a page after a checkpoint go into the log as a whole.
        try await server.database.query("CHECKPOINT")
        let (rows, bytes) = (try await server.changedRows(), try await server.logBytes())
        let (cpu, own) = (try server.seconds(), CPUTime.seconds(of: getpid()))
        let runs = try await withThrowingTaskGroup(of: StoreRun.self) { group in
            for number in 0..<connections {
                let run = StoreRun(
                    conninfo: conninfo, number: number, batch: batch,
                    salt: UInt64.random(in: 0...(.max)))
                group.addTask { try await blocking { try run.worked(seconds: secondsOfRun) } }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let requests = Double(runs.reduce(0) { $0 + $1.requests })
        let batches = Double(runs.reduce(0) { $0 + $1.batches })
        // The server counts a session's rows when the session ends.
        try await Task.sleep(for: .milliseconds(300))
        let spent = try server.seconds() - cpu
        return [
            .whole(connections), .whole(batch), .number(requests / secondsOfRun, digits: 0),
            .number(secondsOfRun * Double(connections) * 1000 / batches, digits: 2),
            .number(Double(runs.reduce(0) { $0 + $1.roundTrips }) / batches, digits: 2),
            .number((try await server.changedRows() - rows) / batches, digits: 1),
            .number(spent * 1e6 / requests, digits: 1),
            .number((CPUTime.seconds(of: getpid()) - own) * 1e6 / requests, digits: 1),
            .number((try await server.logBytes() - bytes) / requests, digits: 0),
        ]
    }

    /// What one connection does, as a lane would, but for the verification.
    private struct StoreRun: Sendable {
        let conninfo: String
        let number: Int
        let batch: Int
        let salt: UInt64
        var requests = 0
        var batches = 0
        var roundTrips = 0

        init(conninfo: String, number: Int, batch: Int, salt: UInt64) {
            self.conninfo = conninfo
            self.number = number
            self.batch = batch
            self.salt = salt
        }

        /// Decides batches for so long.
        func worked(seconds: Double) throws -> StoreRun {
            var run = self
            let store = PostgresKeyStore(
                PostgresSettings(conninfo: conninfo, group: "store-\(salt)", owner: "benchmark"))
            defer { store.close() }
            let partition = TopicPartition(topic: "requests", partition: Int32(number))
            var progress = try store.claim([partition: 0])
            let before = store.roundTrips
            let end = ContinuousClock.now + .seconds(seconds)
            let verdict = Array(repeating: UInt8(ascii: "v"), count: verdictBytes)
            while ContinuousClock.now < end {
                let places = run.requests..<(run.requests + batch)
                let identities = places.map { RequestIdentity(digest($0)) }
                let keys = places.map {
                    DatabaseServer.otherKey(number * keysOfConnection + $0 % keysOfConnection)
                }
                progress[partition]?.nextOffset = Int64(places.upperBound)
                try store.transact(
                    BatchReads(
                        partitions: [partition], keyIDs: Set(keys), requests: Set(identities))
                ) { state in
                    let entries = identities.map {
                        InboxEntry(identity: $0, contentDigest: $0.digest, verdict: verdict)
                    }
                    let counts = state.keys.mapValues { $0.signCount + 1 }
                    return (
                        writes: BatchWrites(
                            inbox: entries, signCounts: counts, progress: progress),
                        result: ()
                    )
                }
                run.requests += batch
                run.batches += 1
            }
            run.roundTrips = store.roundTrips - before
            return run
        }

        private func digest(_ place: Int) -> Digest32 {
            SHA256.hash(Array("\(salt) \(place)".utf8))
        }
    }
}
