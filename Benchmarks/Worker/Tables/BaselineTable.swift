import BenchmarkSupport
import Foundation
import Harness

/// The worker beside what a team would write today: `Benchmarks/Baseline`, in Python.
enum BaselineTable {
    private static let processes = 4
    private static let batch = 500
    private static let patience: Duration = .seconds(300)
    private static let schema = """
        CREATE TABLE device_keys (key_id bytea PRIMARY KEY, app_id text NOT NULL,
            environment text NOT NULL, public_key bytea NOT NULL, counter bigint NOT NULL DEFAULT 0,
            updated_at timestamptz NOT NULL DEFAULT now()) WITH (fillfactor = 70);
        CREATE TABLE verdicts (request_id text PRIMARY KEY, key_id bytea NOT NULL,
            outcome text NOT NULL, counter bigint, decided_at timestamptz NOT NULL DEFAULT now());
        """

    /// What the baseline prints at its end.
    private struct Printed: Decodable {
        let messages: Int
        let per_s: Double
        let worker_cpu_us_per_msg: Double
        let outcomes: [String: Int]
    }

    static func measure(_ stage: Stage) async throws -> Table {
        let options = stage.options
        var table = Table(
            "baseline", title: "Beside a batched worker in Python, the same requests and servers",
            [
                .init("worker", "worker"), .init("requests/s", "perSecond"),
                .init("worker µs", "workerMicroseconds"),
                .init("times the baseline", "timesTheBaseline"),
            ])
        say(table.head)
        let python = try await baseline(stage)
        say(
            table.add([
                .text("Python, \(processes) processes, batches of \(batch)"),
                .number(python.per_s, digits: 0),
                .number(python.worker_cpu_us_per_msg, digits: 1), .number(1, digits: 2),
            ]))
        let (lanes, batch) = (options.lanes.max() ?? 1, options.batches.max() ?? 1)
        let ours = try await Backlog(stage: stage, count: options.requests)
            .run(lanes: lanes, batch: batch)
        say(
            table.add([
                .text("attest-worker, \(lanes) lanes, batches of \(batch)"),
                .number(ours.perSecond, digits: 0), .number(ours.worker, digits: 1),
                .number(ours.perSecond / python.per_s, digits: 2),
            ]))
        return table
    }

    private static func baseline(_ stage: Stage) async throws -> Printed {
        let options = stage.options
        let database = try await stage.server.emptyDatabase("baseline")
        let keys = try stage.folder.write(stage.traffic.keyLines, to: "baseline-keys.tsv")
        let script = try stage.folder.write(
            """
            \(schema)
            CREATE TEMPORARY TABLE fresh (key_id bytea, app_id text, environment text,
                public_key bytea, count bigint, status text, by text);
            \\copy fresh FROM '\(keys)'
            INSERT INTO device_keys SELECT key_id, app_id, environment, public_key FROM fresh;
            INSERT INTO verdicts SELECT md5('old' || g), '\\x00', 'accepted', 1
            FROM generate_series(1, \(options.history)) AS g;
            VACUUM ANALYZE;
            CHECKPOINT;
            """, to: "baseline.sql")
        try await run(
            "psql", ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", database.conninfo, "-f", script],
            stage)
        for topic in ["baseline-requests", "baseline-verdicts"] {
            try await stage.makeTopic(topic)
        }
        try stage.write(stage.traffic.next(options.requests), to: "baseline-requests")
        let output = try await run(
            options.python,
            [
                "Benchmarks/Baseline/baseline_worker.py", "--mode", "batched", "--procs",
                "\(processes)", "--batch", "\(batch)", "--async-commit", "--nodelay",
                "--bootstrap", stage.bootstrapServers, "--pg", database.conninfo, "--topic",
                "baseline-requests", "--verdicts", "baseline-verdicts", "--stop-after",
                "\(options.requests)",
            ], stage)
        let printed = try JSONDecoder().decode(Printed.self, from: Data(output.utf8))
        guard printed.outcomes["accepted"] == options.requests else {
            throw HarnessFailure("the baseline did not accept all: \(printed.outcomes)")
        }
        return printed
    }

    @discardableResult
    private static func run(
        _ program: String, _ arguments: [String], _ stage: Stage
    ) async throws -> String {
        let process = try await ChildProcess.start(
            program, arguments, folder: stage.folder, name: "baseline")
        let end = try await process.waitForEnd(within: patience)
        guard end == .exited(0) else { throw HarnessFailure("\(program): \(end); \(process)") }
        return process.output
    }
}
