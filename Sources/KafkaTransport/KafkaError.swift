internal import CRdkafka
internal import Worker

/// An error of librdkafka, as a value: what was asked, which code came back.
struct KafkaError: Error, Hashable {
    /// What was being done: "commit offsets".
    let operation: String
    /// `rd_kafka_resp_err_t`; negative ones are librdkafka's own, the others the protocol's.
    let code: rd_kafka_resp_err_t
    /// Whether the client is beyond repair and must be made anew.
    let isFatal: Bool
    /// More than the code tells, if librdkafka knew more.
    let detail: String?

    /// An error that is not fatal.
    init(operation: String, code: rd_kafka_resp_err_t, detail: String? = nil) {
        self.init(operation: operation, code: code, isFatal: false, detail: detail)
    }

    private init(operation: String, code: rd_kafka_resp_err_t, isFatal: Bool, detail: String?) {
        self.operation = operation
        self.code = code
        self.isFatal = isFatal
        self.detail = detail
    }

    /// The error of a call on this client.
    ///
    /// A fatal state of the client goes first: librdkafka 2.0.2 answers calls of a fenced member
    /// with codes that look retriable, and a loop that believed them would never end.
    init(operation: String, code: rd_kafka_resp_err_t, client: OpaquePointer, detail: String? = nil)
    {
        self =
            KafkaError(fatalStateOf: client, operation: operation)
            ?? KafkaError(operation: operation, code: code, detail: detail)
    }

    /// The fatal error that this client is in, or nil.
    init?(fatalStateOf client: OpaquePointer, operation: String) {
        var text = [CChar](repeating: 0, count: KafkaError.textBytesMax)
        let code = rd_kafka_fatal_error(client, &text, text.count)
        guard code != RD_KAFKA_RESP_ERR_NO_ERROR else { return nil }
        self.init(operation: operation, code: code, isFatal: true, detail: string(fromC: text))
    }

    /// Takes over and frees an error object.
    init(operation: String, consuming error: OpaquePointer) {
        defer { rd_kafka_error_destroy(error) }
        self.init(
            operation: operation, code: rd_kafka_error_code(error),
            isFatal: rd_kafka_error_is_fatal(error) != 0,
            detail: String(cString: rd_kafka_error_string(error)))
    }

    /// Room for the texts that librdkafka writes into a buffer of ours.
    static let textBytesMax = 512

    /// The code's name: "_TIMED_OUT", "NOT_COORDINATOR".
    var name: String {
        String(cString: rd_kafka_err2name(code))
    }

    /// The fault that this error is, by the rule of ``disposition``.
    func fault() -> Fault {
        let sentence = detail ?? String(cString: rd_kafka_err2str(code))
        return Fault(
            operation: operation, code: name, disposition: disposition,
            message: isFatal ? "the Kafka client is in a fatal state: \(sentence)" : sentence)
    }

    /// What to do about it: the only place where codes of librdkafka become decisions.
    private var disposition: Disposition {
        switch code {
        case RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID:
            return .stop(.fenced)
        case _ where isFatal, RD_KAFKA_RESP_ERR__FATAL, RD_KAFKA_RESP_ERR__DESTROY:
            return .stop(.software)
        case _ where KafkaError.isRefusalOfRights(code):
            return .stop(.noPermission)
        case RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION, RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID,
            RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS, RD_KAFKA_RESP_ERR__ASSIGNMENT_LOST,
            RD_KAFKA_RESP_ERR__FENCED:
            return .fenced
        case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET, RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE,
            RD_KAFKA_RESP_ERR_OFFSET_METADATA_TOO_LARGE, RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION,
            RD_KAFKA_RESP_ERR_UNSUPPORTED_VERSION:
            return .stop(.incompatible)
        case RD_KAFKA_RESP_ERR__INVALID_ARG, RD_KAFKA_RESP_ERR_INVALID_GROUP_ID,
            RD_KAFKA_RESP_ERR_INVALID_SESSION_TIMEOUT,
            RD_KAFKA_RESP_ERR_INCONSISTENT_GROUP_PROTOCOL:
            return .stop(.config)
        default:
            return .retry
        }
    }

    /// Whether the group will never take a member with such settings.
    static func isRefusalOfMembership(_ code: rd_kafka_resp_err_t) -> Bool {
        switch code {
        case RD_KAFKA_RESP_ERR_INVALID_SESSION_TIMEOUT, RD_KAFKA_RESP_ERR_INVALID_GROUP_ID: true
        default: false
        }
    }

    /// Whether no token could be had to log in with: whoever gives them may be back soon.
    ///
    /// librdkafka has no code of its own for that, so its text must tell.
    static func isTokenMissing(_ code: rd_kafka_resp_err_t, _ text: String) -> Bool {
        code == RD_KAFKA_RESP_ERR__AUTHENTICATION
            && text.hasPrefix("Failed to acquire SASL OAUTHBEARER token")
    }

    /// The text of an error of a connection, and what it may mean where it misleads.
    ///
    /// In TLS 1.3 a broker looks at the client's certificate after the client is done (RFC 8446,
    /// 2): when it refuses, the alert may be lost behind the end of the connection, and librdkafka
    /// blames the broker's version in its words of the first answer that did not come.
    static func explained(
        _ code: rd_kafka_resp_err_t, _ text: String, isEncrypted: Bool
    ) -> String {
        guard isEncrypted, code == RD_KAFKA_RESP_ERR__TRANSPORT,
            text.contains("APIVERSION_QUERY")
        else { return text }
        return text + "; over TLS a broker that refuses the client's certificate, or misses one,"
            + " looks like this too: see ssl.certificate.location and what the broker trusts"
    }

    /// Whether the broker refused who we are or what we may do.
    static func isRefusalOfRights(_ code: rd_kafka_resp_err_t) -> Bool {
        switch code {
        case RD_KAFKA_RESP_ERR__AUTHENTICATION, RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED,
            RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED,
            RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED,
            RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED,
            RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
            true
        default:
            false
        }
    }
}

/// The text before the first zero byte of a buffer that C wrote into.
func string(fromC buffer: [CChar]) -> String {
    String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
