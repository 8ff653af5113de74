import Foundation
import Testing

@testable import Worker

@Suite struct MetricsTests {
    @Test func `the page in docs is the one that the table makes`() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../docs/metrics.md").standardizedFileURL
        #expect(try String(contentsOf: page, encoding: .utf8) == MetricsPage.reference())
    }

    @Test func `names are unique, and as OpenMetrics wants them`() {
        #expect(Set(MetricTable.all.map(\.queryName)).count == MetricTable.all.count)
        for family in MetricTable.all {
            #expect(family.name.wholeMatch(of: /(attest_worker|process)(_[a-z]+)+/) != nil)
            #expect(!family.name.hasSuffix("_total"))
            #expect(family.unit == .none || family.name.hasSuffix("_\(family.unit.rawValue)"))
            #expect(family.help.hasSuffix(".") && !family.help.contains("\""))
            #expect(family.zeros.allSatisfy { $0.count == family.labels.count })
            if case .histogram(let bounds) = family.kind { #expect(bounds == bounds.sorted()) }
        }
    }

    @Test func `no label can hold what a request brought along`() {
        let known: Set = [
            "app", "broker", "cause", "client", "code", "group", "kind", "lane", "libpq",
            "librdkafka", "op", "openssl", "outcome", "partition", "percentile", "reason",
            "result", "sqlstate", "stage", "state", "swift", "topic", "type", "use",
            "version",
        ]
        #expect(Set(MetricTable.all.flatMap(\.labels)) == known)
    }

    @Test(arguments: [
        (0, "0.0"), (1, "0.000001"), (1500, "0.0015"), (1_000_000, "1.0"), (-2_500_000, "-2.5"),
        (86_400_000_000, "86400.0"), (Int.min, "-9223372036854.775808"),
    ])
    func `seconds are written without rounding`(microseconds: Int, text: String) {
        #expect(MetricText.number(microseconds, .seconds) == text)
    }

    @Test func `counters, gauges and histograms of two lanes are added up`() {
        var first = MetricCells()
        first.count(MetricTable.duplicates, ["gateway"], by: 2)
        first.set(MetricTable.unreported, to: 3)
        first.set(MetricTable.position, ["t", "0"], to: 9)
        first.observe(MetricTable.batchRecords, [], 1)
        var second = MetricCells()
        second.count(MetricTable.duplicates, ["gateway"])
        second.set(MetricTable.unreported, to: 4)
        second.set(MetricTable.position, ["t", "0"], to: 7)
        second.observe(MetricTable.batchRecords, [], 20_000, times: 2)
        first.merge(second)
        #expect(first[MetricTable.duplicates] == [["gateway"]: .number(3)])
        #expect(first[MetricTable.unreported] == [[]: .number(7)])
        #expect(first[MetricTable.position] == [["t", "0"]: .number(9)])
        let counts = [1] + Array(repeating: 0, count: MetricTable.countBounds.count - 1) + [2]
        #expect(first[MetricTable.batchRecords] == [[]: .histogram(counts: counts, sum: 40_001)])
    }

    @Test func `gauges below zero stay what they are`() {
        var first = MetricCells()
        var second = MetricCells()
        second.set(MetricTable.lagSeconds, ["g", "t", "0"], to: -5)
        first.merge(second)
        #expect(first[MetricTable.lagSeconds] == [["g", "t", "0"]: .number(-5)])
    }

    @Test func `a family has no more series than it may have`() {
        var cells = MetricCells()
        let most = MetricTable.retries.seriesMax
        for number in 0..<(most + 50) {
            cells.count(MetricTable.retries, ["publish", "code-\(number)"])
        }
        cells.count(MetricTable.retries, ["publish", "code-0"])
        #expect(cells[MetricTable.retries].count == most + 1)
        #expect(cells[MetricTable.retries][["other", "other"]] == .number(50))
        #expect(cells[MetricTable.retries][["publish", "code-0"]] == .number(2))
    }

    @Test(arguments: MetricText.Format.allCases)
    func `another program reads what is written`(format: MetricText.Format) throws {
        var cells = MetricCells()
        cells.addZeros()
        cells.count(MetricTable.deadLetters, ["a\"b\\c\nd", "decode", "ü"], by: 3)
        cells.observe(MetricTable.endToEnd, ["assertion"], .milliseconds(7), times: 2)
        cells.observe(MetricTable.endToEnd, ["assertion"], .seconds(100_000))
        cells.set(MetricTable.build, ["1", "2", "3", "4", "5"], to: 1)
        let read = try IndependentReader.read(MetricText.render(cells, as: format), format)
        #expect(read.families.count == MetricTable.all.count)
        #expect(
            read.value("attest_worker_dead_letters_total", ["topic": "a\"b\\c\nd", "code": "ü"])
                == 3)
        let latency = "attest_worker_end_to_end_latency_seconds"
        #expect(read.value(latency + "_count", ["type": "assertion"]) == 3)
        #expect(read.value(latency + "_sum", ["type": "assertion"]) == 100_000.014)
        #expect(read.value(latency + "_bucket", ["type": "assertion", "le": "0.01"]) == 2)
        #expect(read.value(latency + "_bucket", ["type": "assertion", "le": "86400.0"]) == 2)
        #expect(read.value(latency + "_bucket", ["type": "assertion", "le": "+Inf"]) == 3)
        #expect(read.value(latency + "_count", ["type": "registration"]) == 0)
        #expect(read.value("attest_worker_build_info", ["version": "1", "openssl": "5"]) == 1)
    }
}

/// Reads metrics by Prometheus' own library for Python, which is not of our making.
struct IndependentReader {
    struct Sample: Decodable {
        let name: String
        let labels: [String: String]
        let value: Double
    }

    struct Family: Decodable {
        let name: String
        let samples: [Sample]
    }

    let families: [Family]

    /// The value of the one sample with this name and, among others, these labels.
    func value(_ name: String, _ labels: [String: String]) -> Double? {
        let found = families.flatMap(\.samples).filter { sample in
            sample.name == name && labels.allSatisfy { sample.labels[$0] == $1 }
        }
        return found.count == 1 ? found.first?.value : nil
    }

    static func read(_ text: [UInt8], _ format: MetricText.Format) throws -> IndependentReader {
        let module = format == .openMetrics ? "prometheus_client.openmetrics" : "prometheus_client"
        let script = """
            import json, sys
            from \(module).parser import text_string_to_metric_families as read
            text = sys.stdin.buffer.read().decode()
            print(json.dumps([{"name": f.name, "samples": [
                {"name": s.name, "labels": s.labels, "value": s.value} for s in f.samples]}
                for f in read(text)]))
            """
        let process = Process()
        // Debian's own, which has Debian's packages.
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", script]
        let input = FileManager.default.temporaryDirectory.appending(
            path: "metrics-\(UUID().uuidString)")
        try Data(text).write(to: input)
        defer { try? FileManager.default.removeItem(at: input) }
        process.standardInput = try FileHandle(forReadingFrom: input)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let answer = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return IndependentReader(families: try JSONDecoder().decode([Family].self, from: answer))
    }
}
