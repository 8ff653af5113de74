// Which topic must take what another lets in.

extension CrossChecks {
    /// A dead letter is its request with headers; what can't be written halts the worker.
    func messageSizes(_ facts: ClusterFacts) -> [Finding] {
        let topics = settings.kafka.topics
        func bytesMax(_ name: String) -> Int? {
            facts.topics[name]?.configuration["max.message.bytes"].flatMap(Int.init)
        }
        var findings: [Finding] = []
        if let verdicts = bytesMax(topics.verdicts), verdicts < Self.verdictBytesMax {
            findings.append(
                Finding(
                    .error(.incompatible), "max.message.bytes of \(topics.verdicts)",
                    found: "\(verdicts)", needed: "\(Self.verdictBytesMax)",
                    remedy: "raise it: a verdict with a long subject or baggage would halt the"
                        + " worker"))
        }
        guard let requests = topics.requests.compactMap(bytesMax).max() else { return findings }
        if let deadLetters = bytesMax(topics.deadLetters) {
            findings += deadLetterSize(
                "max.message.bytes of \(topics.deadLetters)", deadLetters, requests,
                .error(.incompatible))
        }
        let property = "message.max.bytes"
        let produced =
            settings.kafka.properties[property].flatMap(Int.init)
            ?? Settings.Kafka.producedBytesMaxDefault
        findings += deadLetterSize(
            "\(property) of kafka.properties", produced, requests, .error(.config))
        return findings
    }

    private func deadLetterSize(
        _ subject: String, _ bytesMax: Int, _ requests: Int, _ weight: Finding.Weight
    ) -> [Finding] {
        let (wanted, isBeyond) = requests.addingReportingOverflow(Self.deadLetterOverheadBytes)
        guard bytesMax < (isBeyond ? .max : wanted) else {
            return [.fine(subject, "\(bytesMax), above the requests' \(requests)")]
        }
        // Between the two only a record that fills its topic's limit, and is unreadable, is stuck.
        return [
            Finding(
                bytesMax < requests ? weight : .warning, subject, found: "\(bytesMax)",
                needed: "\(wanted), the request topic's \(requests) and"
                    + " \(Self.deadLetterOverheadBytes) for headers",
                remedy: "raise it, or lower the request topic's: a large record that is no"
                    + " request would halt the worker")
        ]
    }
}
