/// A mock broker in a process of its own, which commands can disturb.
package actor Broker {
    /// Where it listens.
    package nonisolated let bootstrapServers: String
    private let process: ChildProcess
    private var answers = 1

    private init(process: ChildProcess, bootstrapServers: String) {
        self.process = process
        self.bootstrapServers = bootstrapServers
    }

    /// Starts one and waits for its address.
    ///
    /// - Parameters:
    ///   - folder: where its output goes.
    ///   - name: what its output files are called.
    ///   - brokers: how many brokers the cluster has.
    /// - Returns: the broker, listening.
    /// - Throws: ``HarnessFailure`` when it tells no address.
    package static func start(
        folder: Folder, name: String, brokers: Int = 1
    ) async throws -> Broker {
        let process = try await ChildProcess.start(
            BuildProducts.executable("MockBroker"), ["--brokers", String(brokers)],
            folder: folder, name: name)
        var address = ""
        try await eventually("the broker tells its address; \(process)", within: .seconds(20)) {
            let lines = process.output.split(separator: "\n", omittingEmptySubsequences: false)
            address = lines.count > 1 ? String(lines[0]) : ""
            return !address.isEmpty
        }
        guard !address.hasPrefix("error") else { throw HarnessFailure("broker: \(address)") }
        return Broker(process: process, bootstrapServers: address)
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
