import AttestTestKit
import Glibc
import Harness
import PostgresStore
import TestHTTPServer
import Testing
import Wire

/// Three workers with all they need, and an operator's eyes: probes, metrics, logs and alerts.
final class TrialFleet {
    /// How many partitions the request topic has.
    static let partitions = 6

    let world: World
    let broker: Broker
    let postgres: TemporaryPostgres
    let collector: TestHTTPServer
    /// Nil where Debian's package can't be had: alerts are not looked at then.
    private(set) var prometheus: Prometheus?
    private(set) var workers: [ChildProcess] = []
    /// Where each worker answers HTTP, from its first start on.
    private(set) var addresses: [String] = []

    private let authority = TestAuthority(seed: 77)
    private let oracle: Oracle
    private let folder: Folder
    private var loads = 0
    private var traces = 0
    private var waiting: ArraySlice<PlannedRequest> = []

    /// Starts all of it.
    init() async throws {
        let servers = try Servers.shared()
        postgres = servers.postgres
        broker = try await Broker.start(folder: servers.folder, name: "broker-of-the-trial")
        collector = try TestHTTPServer(.take)
        world = try await World(
            "trial", partitions: Self.partitions, apps: [Load.app(authority)], broker: broker)
        oracle = Oracle(
            world, Load("none", seed: 0, deviceCount: 0, assertionCount: 0, authority: authority))
        folder = try Folder("attest-trial")
        for _ in 0..<3 { workers.append(try await world.startWorker(environment)) }
        try await eventually("HTTP answers; \(workers)", within: .seconds(60)) {
            workers.allSatisfy { $0.operationsAddress != nil }
        }
        addresses = workers.compactMap(\.operationsAddress)
        guard let program = Prometheus.program else {
            print(
                "SKIPPED: the alerts of the trial, as Debian's Prometheus is not there:"
                    + " deploy/check.sh gets it")
            return
        }
        prometheus = try await Prometheus.start(program, targets: addresses, folder: folder)
    }

    private var environment: [String: String] {
        [
            "ATTEST_TRACES__ENDPOINT": "http://127.0.0.1:\(collector.port)/v1/traces",
            "ATTEST_TRACES__INTERVAL": "100ms", "ATTEST_TRACES__BATCH_SPANS_MAX": "32",
            "ATTEST_TRACES__QUEUE_SPANS_MAX": "32",
        ]
    }

    /// The alerts that fire, without those that the trial's own world raises.
    func firing() throws -> Set<String> {
        try Set((prometheus?.firing() ?? []).map(\.name)).subtracting(TrialStep.mayStay)
    }

    // MARK: Traffic

    /// Sends a few requests more, of devices of which some lie.
    func sendSome(_ count: Int = 6) throws {
        if waiting.count < count {
            loads += 1
            let load = Load(
                "trial-\(loads)", seed: 770 + UInt64(loads), deviceCount: 12, assertionCount: 140,
                authority: authority)
            oracle.plan(load)
            waiting += load.requests
        }
        try world.send(
            waiting.prefix(count).map { request in
                var record = request.record
                record.headers.append(nextTrace())
                return record
            })
        waiting = waiting.dropFirst(count)
    }

    /// The trace context of one more request, one whose spans are wanted.
    private func nextTrace() -> Header {
        traces += 1
        let id = String(traces, radix: 16)
        let (trace, span) = (32 - id.count, 16 - id.count)
        func padded(_ zeros: Int) -> String { String(repeating: "0", count: zeros) + id }
        return Header(
            name: "traceparent", value: Array("00-\(padded(trace))-\(padded(span))-01".utf8))
    }

    /// Sends what is left of the requests that the judge was told of, and waits for all verdicts.
    func finish() async throws {
        try world.send(waiting.map(\.record))
        waiting = []
        try await oracle.waitUntilAnswered(within: .seconds(90), workers)
        try await stop(workers)
        try await oracle.expectEverythingRight()
        try await oracle.expectAllCommitted()
    }

    // MARK: Workers

    /// Starts the worker of a number once more, at the address it had.
    func restart(_ number: Int, _ variables: [String: String] = [:]) async throws {
        let own = ["ATTEST_OPERATIONS__LISTEN": addresses[number]]
        workers[number] = try await world.startWorker(
            environment.merging(own) { $1 }.merging(variables) { $1 })
    }

    /// The status and the text of a worker's probe; nil while it does not answer.
    func probe(_ path: String, of number: Int) -> (status: Int, body: String)? {
        guard let answer = try? HTTPExchange.get(path, from: addresses[number]) else { return nil }
        return (answer.status, answer.body)
    }

    /// The sum of a worker's series; nil while there is none.
    func metric(_ name: String, _ labels: [String: String], of number: Int) -> Double? {
        guard let answer = probe("/metrics", of: number), answer.status == 200 else { return nil }
        return MetricsText(answer.body).sum(name, labels)
    }

    /// Whether each worker does its work, and together they have every partition.
    var isWell: Bool {
        let counts = workers.indices.map { number -> Double in
            guard probe("/readyz", of: number)?.status == 200 else { return -100 }
            return metric("attest_worker_assigned_partitions", [:], of: number) ?? 0
        }
        return counts.reduce(0, +) == Double(Self.partitions) && counts.allSatisfy { $0 > 0 }
    }
}
