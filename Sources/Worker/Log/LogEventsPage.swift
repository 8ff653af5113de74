/// The reference page of all log events, Markdown.
package enum LogEventsPage {
    /// The page.
    package static func reference() -> String {
        var page = introduction
        for field in LogEvents.commonFields {
            page += "| `\(field.name)` | \(field.meaning) |\n"
        }
        page += "\n## Events\n\n| event | level | fields | meaning |\n| --- | --- | --- | --- |\n"
        for event in LogEvents.all {
            let levels = event.levels.map(\.rawValue).joined(separator: ", ")
            let fields = event.fields.map { "`\($0)`" }.joined(separator: " ")
            let merged = event.isMerged ? " Repeats are merged." : ""
            page += "| `\(event.name)` | \(levels) | \(fields) | \(event.meaning)\(merged) |\n"
        }
        return page
    }

    private static let introduction = """
        # Log events

        Written by `attest-worker config --log-events`; a test compares the two.

        Lines go to standard error: one JSON object a line, or text on a terminal (`log.format`).
        Names of events and fields are stable, sentences are not: search and count by `event`. No
        line holds a payload, a key id or a secret. What librdkafka says comes out as
        `kafka_client`. `log.level` is the least level that is written; SIGHUP takes a new one over,
        SIGUSR2 switches debug lines on and off.

        ## Fields of any line

        | field | meaning |
        | --- | --- |

        """
}
