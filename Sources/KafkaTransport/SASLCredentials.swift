internal import CRdkafka
internal import Worker

/// As whom connections to brokers introduce themselves (SASL PLAIN and SCRAM).
package struct SASLCredentials: Hashable, Sendable, CustomStringConvertible {
    /// `sasl.username`.
    package let username: String
    /// `sasl.password`.
    package let password: String

    /// Credentials from their parts.
    package init(username: String, password: String) {
        self.username = username
        self.password = password
    }

    /// The name alone.
    package var description: String { "SASLCredentials(\(username))" }
}

extension KafkaSettings {
    /// The credentials in the properties, where both parts are there.
    package var credentials: SASLCredentials? {
        guard let username = properties["sasl.username"], let password = properties["sasl.password"]
        else { return nil }
        return SASLCredentials(username: username, password: password)
    }
}

/// Credentials of one client, which may be replaced while it lives.
struct ReplaceableCredentials {
    private let credentials: Live<SASLCredentials?>?
    private var version = 0

    /// What a client watches; nil: nobody replaces anything.
    init(_ credentials: Live<SASLCredentials?>?) {
        self.credentials = credentials
    }

    /// Hands a client what has been replaced since the last call.
    ///
    /// Connections that are open stay so; each that is made from now on uses them. Source:
    /// rdkafka.h, `rd_kafka_sasl_set_credentials`, since librdkafka 2.0.0.
    ///
    /// - Returns: what was handed over, for clients that are made later.
    @discardableResult
    mutating func handOver(to client: KafkaClient) -> SASLCredentials? {
        guard let newer = credentials?.newer(than: &version) ?? nil else { return nil }
        let error = rd_kafka_sasl_set_credentials(client.handle, newer.username, newer.password)
        guard let error else { return newer }
        let refusal = KafkaError(operation: "replace credentials", consuming: error)
        client.say(level: KafkaLogLine.warning, refusal.name, "could not replace the credentials")
        return nil
    }
}
