internal import FoundationEssentials
internal import Glibc

/// Debian's Prometheus with the alerts that are shipped, in a time that a test can wait for: half a
/// second is a minute of the rules.
package final class Prometheus {
    /// An alert that fires.
    package struct Alert: Hashable, Sendable, CustomStringConvertible {
        /// Its name.
        package let name: String
        /// Which worker it is about, where it is about one.
        package let instance: String?

        /// An alert by its labels.
        package init(_ name: String, instance: String? = nil) {
            self.name = name
            self.instance = instance
        }

        package var description: String { name + (instance.map { " of \($0)" } ?? "") }
    }

    /// How long a minute of the rules lasts here.
    static let minute = 500
    /// Between two scrapes and between two evaluations, in milliseconds.
    static let interval = 500

    /// The program, where `deploy/check.sh` has put Debian's; nil if it could not be had.
    package static var program: String? {
        let paths = [repository + "/.build/deploy/prometheus/usr/bin/prometheus"]
        return (paths + ["/usr/bin/prometheus"]).first { access($0, X_OK) == 0 }
    }

    private let process: ChildProcess
    private let address: String

    private init(_ process: ChildProcess, _ address: String) {
        self.process = process
        self.address = address
    }

    /// Starts one that scrapes these addresses.
    ///
    /// - Parameters:
    ///   - program: see ``program``.
    ///   - targets: `127.0.0.1:port` of each worker.
    ///   - folder: where its data and its output go.
    /// - Returns: one that answers.
    /// - Throws: ``HarnessFailure`` when it does not.
    package static func start(
        _ program: String, targets: [String], folder: Folder
    ) async throws -> Prometheus {
        let rules = try String(
            contentsOfFile: repository + "/deploy/prometheus/rules.yaml", encoding: .utf8)
        _ = try folder.write(scaled(rules), to: "rules.yaml")
        let every = "\(interval)ms"
        let list = targets.map { "\"\($0)\"" }.joined(separator: ", ")
        let settings = """
            global:
              { scrape_interval: \(every), scrape_timeout: \(every), evaluation_interval: \(every) }
            rule_files: [rules.yaml]
            scrape_configs:
              - job_name: attest-worker
                static_configs: [{ targets: [\(list)] }]
            """
        let path = try folder.write(settings, to: "prometheus.yaml")
        // A port that nobody listens on once the look is over.
        let address = "127.0.0.1:\(try SilentServer().port)"
        let process = try await ChildProcess.start(
            program,
            [
                "--config.file=\(path)", "--storage.tsdb.path=\(folder.path("data"))",
                "--web.listen-address=\(address)",
            ], folder: folder, name: "prometheus")
        let prometheus = Prometheus(process, address)
        try await eventually("Prometheus is ready; \(process)", within: .seconds(60)) {
            guard process.ended == nil else { throw HarnessFailure("Prometheus ended; \(process)") }
            return (try? HTTPExchange.get("/-/ready", from: address).status) == 200
        }
        // It begins with its targets some seconds later; until then there seem to be none.
        try await eventually("Prometheus looks at its targets; \(process)", within: .seconds(60)) {
            try prometheus.series("up").count == targets.count
        }
        return prometheus
    }

    /// The alerts that fire at this moment.
    package func firing() throws -> Set<Alert> {
        try Set(
            series("ALERTS%7Balertstate%3D%22firing%22%7D").compactMap { labels in
                labels["alertname"].map { Alert($0, instance: labels["instance"]) }
            })
    }

    /// The labels of what an expression finds.
    private func series(_ expression: String) throws -> [[String: String]] {
        // HTTP 1.0, so that the answer comes in one piece.
        let query = "/api/v1/query?query=\(expression)"
        let answer = try HTTPExchange.send(
            Array("GET \(query) HTTP/1.0\r\nHost: test\r\n\r\n".utf8), to: address)
        guard answer.status == 200 else {
            throw HarnessFailure("Prometheus answers \(answer.status): \(answer.body)")
        }
        let told = try JSONDecoder().decode(Answer.self, from: Data(answer.body.utf8))
        return told.data.result.map(\.metric)
    }

    private struct Answer: Decodable {
        struct Result: Decodable {
            var result: [Series]
        }

        struct Series: Decodable {
            var metric: [String: String]
        }

        var data: Result
    }

    /// The rules with every duration, and every threshold that is one, on the other scale.
    static func scaled(_ rules: String) -> String {
        func milliseconds(_ number: Substring, _ unit: Substring) -> Int {
            (Int(number) ?? 0) * (unit == "h" ? 60 : 1) * minute
        }
        return
            rules
            .replacing(/(for: |\[|offset )([0-9]+)([mh])/) { match in
                "\(match.output.1)\(milliseconds(match.output.2, match.output.3))ms"
            }
            .replacing(/(_seconds\)\s+)> ([0-9]+)/) { match in
                let seconds = Double(match.output.2) ?? 0
                return "\(match.output.1)> \(seconds * Double(minute) / 60_000)"
            }
    }
}

/// The repository's root.
private let repository = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../..").standardized.path
