/// A record that is set aside: key, value and headers byte for byte, and why and whence.
///
/// What tells of an earlier pass is replaced, never added to: a record that fails again after its
/// replay tells of this failure, and does not grow with each pass.
package struct DeadLetter: Hashable, Sendable {
    /// What was being done when the record turned out to be bad.
    package enum Stage: String, Hashable, Sendable, CaseIterable {
        /// Finding a request in it.
        case decode
        /// Checking its fields.
        case validate
        /// Verifying its object.
        case verify
        /// Storing what was decided.
        case store
        /// Publishing its verdict.
        case produce
    }

    /// Why a record is set aside.
    package struct Cause: Hashable, Sendable {
        /// What was being done.
        package var stage: Stage
        /// A stable code in snake case.
        package var code: String
        /// One sentence without a byte of the record; cut to ``DeadLetter/messageBytesMax``.
        package var message: String
        /// The SQLSTATE, where the database refused.
        package var sqlState: String?

        /// A cause from its parts.
        package init(stage: Stage, code: String, message: String, sqlState: String? = nil) {
            self.stage = stage
            self.code = code
            self.message = message
            self.sqlState = sqlState
        }

        /// The cause of a record that holds no request.
        package init(_ record: UnreadableRecord) {
            self.init(stage: .decode, code: record.rawValue, message: record.message)
        }
    }

    /// Where a record came from.
    package struct Origin: Hashable, Sendable {
        /// Topic, partition and offset.
        package var place: RecordPlace
        /// The record's timestamp; nil where it has none.
        package var timestampMilliseconds: Int64?
        /// The group that read it.
        package var consumerGroup: String
        /// How often it was tried; nil where that was not counted.
        package var attempts: Int?

        /// An origin from its parts.
        package init(
            place: RecordPlace, timestampMilliseconds: Int64?, consumerGroup: String,
            attempts: Int? = nil
        ) {
            self.place = place
            self.timestampMilliseconds = timestampMilliseconds
            self.consumerGroup = consumerGroup
            self.attempts = attempts
        }
    }

    /// The most bytes of `error_message`.
    package static let messageBytesMax = 1024

    /// The names of the headers that are ours; those of an earlier pass are dropped.
    package static let headerNames = [
        "source_topic", "source_partition", "source_offset", "source_timestamp",
        "source_consumer_group", "source_attempts", "error_stage", "error_code", "error_message",
        "error_sqlstate", "failed_at", "worker_version", "worker_id",
    ]

    /// The record's key, as it was.
    package let key: [UInt8]?
    /// The record's value, as it was.
    package let value: [UInt8]?
    /// The record's headers as they were, and after them those of ``headerNames`` that are known.
    package let headers: [Header]

    /// Sets a record aside.
    ///
    /// - Parameters:
    ///   - key: the record's key.
    ///   - value: the record's value.
    ///   - headers: the record's headers.
    ///   - origin: where it came from.
    ///   - cause: why it is set aside.
    ///   - failedAt: when, as RFC 3339 text; nil keeps the time out, and repeats then are equal.
    ///   - workerVersion: the version of the program.
    ///   - workerID: which instance it was.
    package init(
        key: [UInt8]?, value: [UInt8]?, headers: [Header], origin: Origin, cause: Cause,
        failedAt: String? = nil, workerVersion: String? = nil, workerID: String? = nil
    ) {
        self.key = key
        self.value = value
        let told: [(name: String, text: String?)] = [
            ("source_topic", origin.place.topic),
            ("source_partition", String(origin.place.partition)),
            ("source_offset", String(origin.place.offset)),
            ("source_timestamp", origin.timestampMilliseconds.map { String($0) }),
            ("source_consumer_group", origin.consumerGroup),
            ("source_attempts", origin.attempts.map { String($0) }),
            ("error_stage", cause.stage.rawValue),
            ("error_code", cause.code),
            ("error_message", Self.cut(cause.message)),
            ("error_sqlstate", cause.sqlState),
            ("failed_at", failedAt),
            ("worker_version", workerVersion),
            ("worker_id", workerID),
        ]
        self.headers =
            headers.filter { !Self.headerNames.contains($0.name) }
            + told.compactMap { name, text in text.map { Header(name: name, text: $0) } }
    }

    /// The longest beginning of a text that has at most ``messageBytesMax`` bytes of UTF-8.
    private static func cut(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        var bytes = 0
        for scalar in text.unicodeScalars {
            bytes += UTF8.width(scalar)
            guard bytes <= messageBytesMax else { break }
            scalars.append(scalar)
        }
        return String(scalars)
    }
}
