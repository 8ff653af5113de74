/// Metrics as text, in one of the two formats that Prometheus reads.
///
/// Source: OpenMetrics 1.0, "Text format"; Prometheus, "Exposition formats", version 0.0.4.
package enum MetricText {
    /// How the text is written.
    package enum Format: Hashable, Sendable, CaseIterable {
        /// Counters and infos by their family's name, with units, an end mark.
        case openMetrics
        /// What Prometheus understood before that.
        case prometheus

        /// The media type of the answer.
        package var mediaType: String {
            switch self {
            case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
            case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
            }
        }
    }

    /// Writes families, those without series too, and their series sorted by labels.
    package static func render(
        _ cells: MetricCells, as format: Format, _ families: [MetricFamily] = MetricTable.all
    ) -> [UInt8] {
        var text = ""
        for family in families {
            writeHead(family, format, to: &text)
            for (labels, value) in cells[family].sorted(by: { isBefore($0.key, $1.key) }) {
                write(family, labels, value, to: &text)
            }
        }
        if format == .openMetrics { text += "# EOF\n" }
        return Array(text.utf8)
    }

    /// A value in the unit it is told in.
    package static func number(_ value: Int, _ unit: MetricFamily.Unit) -> String {
        switch unit {
        case .none, .bytes: return String(value)
        case .seconds:
            let (seconds, rest) = value.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
            var digits = String(rest)
            digits = String(repeating: "0", count: 6 - digits.count) + digits
            while digits.count > 1, digits.hasSuffix("0") { digits.removeLast() }
            return (value < 0 ? "-" : "") + "\(seconds).\(digits)"
        }
    }

    private static func writeHead(_ family: MetricFamily, _ format: Format, to text: inout String) {
        let name = format == .openMetrics ? family.name : family.queryName
        let type =
            format == .prometheus && family.kind == .info ? "gauge" : family.typeName
        text += "# HELP \(name) \(escaped(family.help))\n# TYPE \(name) \(type)\n"
        if format == .openMetrics, family.unit != .none {
            text += "# UNIT \(name) \(family.unit.rawValue)\n"
        }
    }

    private static func write(
        _ family: MetricFamily, _ values: [String], _ value: MetricCells.Value,
        to text: inout String
    ) {
        let labels = zip(family.labels, values).map { "\($0)=\"\(escaped($1))\"" }
        switch (value, family.kind) {
        case (.number(let number), _):
            let shown = Self.number(number, family.unit)
            text += "\(family.queryName)\(braced(labels)) \(shown)\n"
        case (.histogram(let counts, let sum), .histogram(let bounds)):
            var total = 0
            for (count, bound) in zip(counts, bounds.map { bucket($0, family.unit) } + ["+Inf"]) {
                total += count
                text += "\(family.name)_bucket\(braced(labels + ["le=\"\(bound)\""])) \(total)\n"
            }
            let shown = Self.number(sum, family.unit)
            text += "\(family.name)_sum\(braced(labels)) \(shown)\n"
            text += "\(family.name)_count\(braced(labels)) \(total)\n"
        case (.histogram, _):
            break
        }
    }

    /// A bound as OpenMetrics wants it: always with a point.
    private static func bucket(_ bound: Int, _ unit: MetricFamily.Unit) -> String {
        unit == .seconds ? number(bound, unit) : "\(bound).0"
    }

    private static func braced(_ labels: [String]) -> String {
        labels.isEmpty ? "" : "{" + labels.joined(separator: ",") + "}"
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }

    private static func isBefore(_ left: [String], _ right: [String]) -> Bool {
        left.lexicographicallyPrecedes(right) { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
