/// A mock broker in a process of its own, which commands can disturb.
actor Broker {
    /// Where it listens.
    nonisolated let bootstrapServers: String
    private let process: ChildProcess
    private var answers = 1

    private init(process: ChildProcess, bootstrapServers: String) {
        self.process = process
        self.bootstrapServers = bootstrapServers
    }

    /// Starts one and waits for its address.
    static func start(folder: Folder, name: String) async throws -> Broker {
        let process = try await ChildProcess.start(
            BuildProducts.executable("MockBroker"), folder: folder, name: name)
        var address = ""
        try await eventually("the broker tells its address; \(process)", within: .seconds(20)) {
            let lines = process.output.split(separator: "\n", omittingEmptySubsequences: false)
            address = lines.count > 1 ? String(lines[0]) : ""
            return !address.isEmpty
        }
        guard !address.hasPrefix("error") else { throw HarnessFailure("broker: \(address)") }
        return Broker(process: process, bootstrapServers: address)
    }

    /// Has a command carried out.
    ///
    /// - Throws: ``HarnessFailure`` with the broker's answer if that isn't `ok`.
    func command(_ line: String) async throws {
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
