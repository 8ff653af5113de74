import Glibc

/// A mock broker in a process of its own, which commands can disturb; or a cluster that was there
/// before, in which it only makes topics.
package actor Broker {
    /// Where it listens.
    package nonisolated let bootstrapServers: String
    /// What the names of topics and groups begin with: nothing of another run is called so.
    package nonisolated let prefix: String
    private let process: ChildProcess
    private var answers = 1

    private init(process: ChildProcess, bootstrapServers: String, prefix: String) {
        self.process = process
        self.bootstrapServers = bootstrapServers
        self.prefix = prefix
    }

    /// The cluster that the variable `KAFKA_BOOTSTRAP` names.
    package static var givenAddress: String? {
        getenv("KAFKA_BOOTSTRAP").map { String(cString: $0) }
    }

    /// Starts one and waits for its address.
    ///
    /// - Parameters:
    ///   - folder: where its output goes.
    ///   - name: what its output files are called.
    ///   - brokers: how many brokers the cluster has.
    ///   - address: a cluster to use instead of a mock one.
    /// - Returns: the broker, listening.
    /// - Throws: ``HarnessFailure`` when it tells no address.
    package static func start(
        folder: Folder, name: String, brokers: Int = 1, address: String? = nil
    ) async throws -> Broker {
        let process = try await ChildProcess.start(
            BuildProducts.executable("MockBroker"),
            address.map { ["--bootstrap", $0] } ?? ["--brokers", String(brokers)], folder: folder,
            name: name)
        var told = ""
        try await eventually("the broker tells its address; \(process)", within: .seconds(20)) {
            let lines = process.output.split(separator: "\n", omittingEmptySubsequences: false)
            told = lines.count > 1 ? String(lines[0]) : ""
            return !told.isEmpty
        }
        guard !told.hasPrefix("error") else { throw HarnessFailure("broker: \(told)") }
        return Broker(
            process: process, bootstrapServers: told,
            prefix: address == nil ? "" : "attest-\(getpid())-")
    }

    /// How its process has ended, if it has, and the last it said.
    package nonisolated var death: String? {
        process.ended.map { "\($0): \(process.errors.split(separator: "\n").first ?? "")" }
    }

    /// Has a command carried out.
    ///
    /// - Throws: ``HarnessFailure`` with the broker's answer if that isn't `ok`.
    package func command(_ line: String) async throws {
        let place = answers
        answers += 1
        try process.command(line)
        var answer = ""
        try await eventually("the broker answers \"\(line)\"; \(process)", within: .seconds(10)) {
            let lines = process.output.split(separator: "\n", omittingEmptySubsequences: false)
            answer = lines.count > place + 1 ? String(lines[place]) : ""
            return !answer.isEmpty
        }
        guard answer == "ok" else { throw HarnessFailure("broker on \"\(line)\": \(answer)") }
    }
}
