import BenchmarkSupport
import Foundation

/// What a request costs when there is ten times as much of something, one after another.
enum GrowthTable {
    private static let padding = 4096

    /// Measures.
    ///
    /// - Returns: the table, and the plans of the statements at the largest number of keys.
    static func measure(_ stage: Stage) async throws -> (Table, plans: [String]) {
        let options = stage.options
        let (lanes, batch) = (options.lanes.max() ?? 1, options.batches.max() ?? 1)
        var table = Table(
            "growth", title: "More of everything, \(lanes) lanes, batches up to \(batch)",
            [
                .init("what grew", "grown"), .init("keys", "keys"),
                .init("inbox rows", "inboxRows"), .init("partitions", "partitions"),
            ] + BacklogResult.columns)
        say(table.head)
        func add(
            _ grown: String, partitions: Int = Stage.partitions, padding: Int = 0
        ) async throws {
            let contents = stage.server.contents
            let result = try await Backlog(stage: stage, count: options.requests).run(
                lanes: lanes, batch: batch, partitions: partitions, padding: padding)
            say(
                table.add(
                    [
                        .text(grown), .whole(contents.keys), .whole(contents.requests),
                        .whole(partitions),
                    ] + result.cells))
        }
        try await add("nothing")
        try await add("partitions", partitions: Stage.partitions * 10)
        // More partitions here too: the mock broker keeps 5 MiB of each.
        try await add(
            "requests, by \(padding) bytes each", partitions: Stage.partitions * 10,
            padding: padding)
        try await stage.server.store(requests: options.history * 10)
        try await add("inbox")
        try await stage.server.store(keys: options.growth / 10)
        try await add("keys")
        try await stage.server.store(keys: options.growth)
        try await add("keys again")
        try await stage.server.makeCold()
        try await add("the same, nothing in memory")
        try await stage.server.explain(true)
        try await add("the same, each plan written down")
        try await stage.server.explain(false)
        return (table, try stage.server.plans())
    }
}
