import BenchmarkSupport
import Foundation
import Harness

/// What the program costs before it does anything.
enum ProcessTable {
    private static let starts = 10
    private static let restSeconds = 5

    static func measure(_ stage: Stage) async throws -> Table {
        var table = Table(
            "process", title: "The program",
            [.init("figure", "figure"), .init("value", "value"), .init("unit", "unit")])
        say(table.head)
        let program = try BuildProducts.executable("attest-worker")
        say(table.add([.text("size"), .number(try mebibytes(program), digits: 1), .text("MiB")]))
        let stripped = stage.folder.path("stripped")
        try await finish("strip", ["-o", stripped, program], stage)
        say(
            table.add([
                .text("size, stripped"), .number(try mebibytes(stripped), digits: 1), .text("MiB"),
            ]))
        var best = Duration.seconds(60)
        for _ in 0..<starts {
            let start = ContinuousClock.now
            try await finish(program, ["--version"], stage)
            best = min(best, ContinuousClock.now - start)
        }
        say(
            table.add([
                .text("attest-worker --version, start to end"),
                .number(best / .milliseconds(1), digits: 0), .text("ms"),
            ]))
        let lanes = stage.options.lanes.max() ?? 1
        let run = try await stage.prepare(lanes: lanes, batch: 1000)
        let start = ContinuousClock.now
        let worker = try await stage.startWorker(run, name: "idle")
        try await worker.waitFor("partitions_claimed", count: lanes, within: .seconds(60))
        say(
            table.add([
                .text("start to all partitions claimed, \(lanes) lanes"),
                .number((ContinuousClock.now - start) / .seconds(1), digits: 1), .text("s"),
            ]))
        let before = CPUTime.seconds(of: worker.processID)
        try await Task.sleep(for: .seconds(restSeconds))
        let spent = CPUTime.seconds(of: worker.processID) - before
        say(
            table.add([
                .text("memory at rest"),
                .number(Double(try worker.peakResidentBytes) / 1_048_576, digits: 0), .text("MiB"),
            ]))
        say(
            table.add([
                .text("CPU at rest"), .number(100 * spent / Double(restSeconds), digits: 1),
                .text("% of a core"),
            ]))
        worker.send(SIGTERM)
        _ = try await worker.waitForEnd(within: .seconds(30))
        return table
    }

    private static func mebibytes(_ path: String) throws -> Double {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        guard let bytes = attributes[.size] as? Int else {
            throw HarnessFailure("\(path) has no size")
        }
        return Double(bytes) / 1_048_576
    }

    private static func finish(_ program: String, _ arguments: [String], _ stage: Stage)
        async throws
    {
        let process = try await ChildProcess.start(
            program, arguments, folder: stage.folder, name: "once")
        let end = try await process.waitForEnd(within: .seconds(30))
        guard end == .exited(0) else { throw HarnessFailure("\(program) ended with \(end)") }
    }
}
