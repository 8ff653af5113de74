internal import FoundationEssentials

/// A gate before a mock broker that asks for TLS, certificates and SASL as a broker does.
package struct BrokerGate: Sendable {
    /// What it asks for.
    package struct Demands: Sendable {
        /// Its own certificate; nil is without TLS.
        package var identity: TestCertificates.Identity?
        /// Whose certificates clients must have; nil asks for none.
        package var clientRoot: String?
        /// Who may log in: a file as `gate.py` has it; nil asks nobody.
        package var logins: String?
        /// Whether SCRAM's nonce is looked at as Kafka 4 does.
        package var isStrict = false
        /// Whether each connection ends at its first request.
        package var drops = false

        /// Nothing at all.
        package init() {}
    }

    /// Where it listens: the name that its certificate must have.
    package let bootstrapServers: String
    private let process: ChildProcess

    /// Starts one.
    ///
    /// - Parameters:
    ///   - broker: where it leads.
    ///   - demands: what it asks for.
    ///   - folder: where its output goes.
    ///   - name: what the output files are called.
    /// - Returns: the gate, which listens.
    /// - Throws: ``HarnessFailure`` when it does not.
    package static func start(
        before broker: Broker, _ demands: Demands, folder: Folder, name: String
    ) async throws -> BrokerGate {
        let port = broker.bootstrapServers.split(separator: ":").last.map(String.init) ?? ""
        var arguments = [script, port]
        if let identity = demands.identity {
            arguments += ["--tls", identity.certificate, identity.key]
        }
        if let root = demands.clientRoot { arguments += ["--client-ca", root] }
        if let logins = demands.logins { arguments += ["--sasl", logins] }
        if demands.isStrict { arguments.append("--strict-nonce") }
        if demands.drops { arguments.append("--drop") }
        let process = try await ChildProcess.start(
            "python3", arguments, folder: folder, name: name)
        var address = ""
        try await eventually("the gate tells its port; \(process)", within: .seconds(20)) {
            address = process.output.split(separator: "\n").first.map(String.init) ?? ""
            return !address.isEmpty && process.output.contains("\n")
        }
        return BrokerGate(bootstrapServers: "localhost:\(address)", process: process)
    }

    /// What it saw: `peer NAME`, `sasl MECHANISM NAME`, `refused MECHANISM`, a line each.
    package var seen: [String] {
        process.output.split(separator: "\n").dropFirst().map(String.init)
    }

    /// Cuts all connections.
    package func cut() throws {
        try process.command("cut")
    }
}

private let script = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "BrokerGate/gate.py").path
