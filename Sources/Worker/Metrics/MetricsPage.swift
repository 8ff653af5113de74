/// The reference page of the metrics.
package enum MetricsPage {
    /// Markdown, made from ``MetricTable``.
    package static func reference() -> String {
        let sections = [
            ("The process", MetricTable.process), ("Requests", MetricTable.requests),
            ("Batches", MetricTable.batches), ("Lanes", MetricTable.lanes),
            ("Partitions", MetricTable.partitions), ("The database", MetricTable.database),
            ("Kafka", MetricTable.kafka), ("Revocations", MetricTable.revocations),
            ("Refresh of receipts", MetricTable.refresh),
            ("The gateway, a process of its own", MetricTable.gateway),
        ]
        return introduction
            + sections.map { title, families in
                "\n## \(title)\n" + families.map(entry).joined()
            }.joined()
    }

    private static func entry(_ family: MetricFamily) -> String {
        var lines = ["\n### `\(family.queryName)`\n", family.help, "", "- \(family.typeName)"]
        if family.unit != .none { lines[3] += ", \(family.unit.rawValue)" }
        if !family.labels.isEmpty {
            lines.append("- labels " + family.labels.map { "`\($0)`" }.joined(separator: ", "))
        }
        if case .histogram(let bounds) = family.kind {
            let bounds = bounds.map { MetricText.number($0, family.unit) }
            lines.append("- buckets " + bounds.joined(separator: ", "))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let introduction = """
        # Metrics

        Written by `attest-worker metrics`; a test compares the two.

        At `/metrics` on `operations.listen`, as OpenMetrics 1.0 where the client asks for that and
        in Prometheus' text format elsewhere. Names and labels are the same whatever the settings
        are. Labels hold names of configured apps, topics, brokers and codes, never anything that a
        request brought along. A family has a bounded number of series; what would go beyond is told
        with the label values `other`. Lanes count for themselves and are added up when they are
        asked, so that nothing here slows them down.

        """
}
