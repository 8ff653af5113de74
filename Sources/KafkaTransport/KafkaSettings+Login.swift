internal import CRdkafka

// How the client logs in, as far as one setting must fit another.

extension KafkaSettings {
    /// librdkafka repeats its own nonce in the last message of SCRAM before this version.
    ///
    /// Source: confluentinc/librdkafka#4895.
    private static let scramVersionMin: Int32 = 0x0206_0100

    private var mechanism: String? {
        properties["sasl.mechanism"] ?? properties["sasl.mechanisms"]
    }

    /// What is wrong with how the client logs in.
    func loginProblems() -> [KafkaSettingsProblem] {
        let knowsAnotherWay =
            properties["enable.sasl.oauthbearer.unsecure.jwt"] == "true"
            || properties["sasl.oauthbearer.method"] == "oidc"
        guard tokenSource != nil else {
            guard mechanism == "OAUTHBEARER", !knowsAnotherWay else { return [] }
            return [
                KafkaSettingsProblem(
                    setting: "tokenSource",
                    rule: "must be set, or kafka.oauth.tokenCommand: sasl.mechanism is OAUTHBEARER,"
                        + " and something must give tokens")
            ]
        }
        var problems: [KafkaSettingsProblem] = []
        if mechanism.map({ $0 != "OAUTHBEARER" }) ?? false || knowsAnotherWay {
            problems.append(
                .init(
                    setting: "properties.sasl.mechanism",
                    rule: "must be OAUTHBEARER or not set where a token source is set, and"
                        + " librdkafka must get no tokens elsewhere"))
        }
        let protocolName = properties["security.protocol"]?.lowercased() ?? "plaintext"
        if !protocolName.hasPrefix("sasl_") {
            problems.append(
                .init(
                    setting: "properties.security.protocol",
                    rule: "must be sasl_ssl where a token source is set, or no token is ever used"
                ))
        }
        return problems
    }

    /// What may go wrong with how the client logs in, though nothing is wrong with the settings.
    package func loginWarnings() -> [String] {
        loginWarnings(libraryVersion: rd_kafka_version())
    }

    /// The warnings under another version of librdkafka.
    func loginWarnings(libraryVersion: Int32) -> [String] {
        var warnings: [String] = []
        if mechanism?.hasPrefix("SCRAM-") == true, libraryVersion < Self.scramVersionMin {
            warnings.append(
                "librdkafka \(String(cString: rd_kafka_version_str())) repeats its nonce in SCRAM:"
                    + " brokers of Kafka 4 refuse that as wrong credentials; use librdkafka 2.6.1"
                    + " or newer, or another mechanism")
        }
        if properties["security.protocol"]?.lowercased() == "sasl_plaintext" {
            warnings.append(
                "the login is not encrypted (security.protocol is sasl_plaintext): use sasl_ssl")
        }
        return warnings
    }
}
