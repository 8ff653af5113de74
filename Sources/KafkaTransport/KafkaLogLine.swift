/// What librdkafka says about connections, the group and its own state.
///
/// It holds addresses, names of topics and groups, and codes; never a byte of a record.
package struct KafkaLogLine: Hashable, Sendable {
    /// The severity of syslog: 3 error, 4 warning, 5 notice, 6 info, 7 debug.
    package let level: Int
    /// librdkafka's word for the place: "FAIL", "REQTMOUT"; or the name of an error.
    package let facility: String
    /// The sentence.
    package let text: String

    /// A line from its parts.
    package init(level: Int, facility: String, text: String) {
        self.level = level
        self.facility = facility
        self.text = text
    }
}

/// Where the lines of a client go: called on the thread that uses the client, and while it closes
/// on another.
package typealias KafkaLog = @Sendable (KafkaLogLine) -> Void

extension KafkaLogLine {
    /// Severity of a line about a fault that passes by itself; lower ones are worse.
    package static let warningLevel = 4
    static let warning = warningLevel
}
