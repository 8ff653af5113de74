internal import AppAttest
internal import FoundationEssentials
internal import Worker

/// `/statusz` and `/version`: JSON for a person's eyes and for scripts.
enum StatusPage {
    /// How the process stands.
    static func json(_ report: WorkerReport) -> [UInt8] {
        encode(Status(report))
    }

    /// What it is.
    static func version(_ facts: WorkerFacts) -> [UInt8] {
        encode(Version(facts))
    }

    private static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // These are texts and whole numbers, which always have a JSON.
        let data = (try? encoder.encode(value)) ?? Data()
        return Array(data) + [UInt8(ascii: "\n")]
    }
}

private struct Version: Encodable {
    let version: String
    let workerId: String
    let swift: String
    let librdkafka: String
    let libpq: String
    let openssl: String

    init(_ facts: WorkerFacts) {
        version = facts.identity.version
        workerId = facts.identity.id
        swift = facts.libraries.swift
        librdkafka = facts.libraries.librdkafka
        libpq = facts.libraries.libpq
        openssl = facts.libraries.openssl
    }
}

private struct Status: Encodable {
    struct Lane: Encodable {
        let lane: Int
        let state: String
        let doing: String
        let doingForMilliseconds: Int64
        let lastProgress: String
        let inHandRecords: Int
        let unreportedVerdicts: Int
        let databaseFault: String?
        let blockedBy: String?
        let blockedForMilliseconds: Int64?
        let joinState: String?
        let brokersUp: [String: Int]
        let partitions: [Partition]
    }

    struct Partition: Encodable {
        let topic: String
        let partition: Int32
        let isClaimed: Bool
        let position: Int64?
        let committed: Int64?
        let highWatermark: Int64?
        let lagMessages: Int64?
    }

    struct Probe: Encodable {
        let isWell: Bool
        let problems: [String]

        init(_ health: Health) {
            isWell = health.isWell
            problems = health.problems
        }
    }

    let version: Version
    let state: String
    let startedAt: String
    let now: String
    let group: String
    let apps: [String]
    let simulatedApps: [String]
    let live: Probe
    let ready: Probe
    let lanes: [Lane]

    init(_ report: WorkerReport) {
        version = Version(report.facts)
        state = report.state.rawValue
        startedAt = text(report.facts.startedAt.milliseconds)
        now = text(report.now.milliseconds)
        group = report.facts.groupID
        apps = report.appIDs
        simulatedApps = report.simulatedAppIDs
        live = Probe(Health.liveness(report))
        ready = Probe(Health.readiness(report))
        lanes = report.lanes.map { Lane($0, now: report.monotonicNow) }
    }
}

extension Status.Lane {
    fileprivate init(_ report: LaneReport, now: Duration) {
        lane = report.number
        state = report.state.rawValue
        doing = report.activity.name
        doingForMilliseconds = (now - report.activity.since).wholeMilliseconds
        lastProgress = text(report.progressAt.milliseconds)
        inHandRecords = report.inHandRecords
        unreportedVerdicts = report.unreported
        databaseFault = report.storeFault?.description
        blockedBy = report.trouble?.fault.description
        blockedForMilliseconds = report.trouble.map { (now - $0.since).wholeMilliseconds }
        joinState = report.statistics[.consumer]?.joinState
        brokersUp = Dictionary(
            uniqueKeysWithValues: report.statistics.map { role, told in
                (role.rawValue, told.brokers.count(where: \.isUp))
            })
        partitions = report.partitions.sorted { $0.key < $1.key }.map { place, partition in
            Status.Partition(
                topic: place.topic, partition: place.partition,
                isClaimed: partition.position != nil, position: partition.position,
                committed: partition.committed,
                highWatermark: report.highWatermark(of: place),
                lagMessages: report.lag(of: place))
        }
    }
}

/// RFC 3339, in seconds.
private func text(_ milliseconds: Int64) -> String {
    Date(timeIntervalSince1970: Double(milliseconds / 1000)).formatted(.iso8601)
}
