internal import Worker

/// One element of an `Accept` header: a type and how much it is wanted.
///
/// Source: RFC 9110, 12.5.1.
struct MediaRange {
    /// Lower case, without parameters.
    let type: String
    /// In thousandths: 0 is not at all.
    let weight: Int

    /// The most elements that are looked at.
    static let countMax = 32

    /// The format in which metrics are told: OpenMetrics where the client wants it no less than
    /// plain text, else plain text.
    static func format(for accept: String?) -> MetricText.Format {
        var wanted: [String: Int] = [:]
        for element in (accept ?? "").split(separator: ",").prefix(countMax) {
            let range = MediaRange(element)
            wanted[range.type] = max(wanted[range.type] ?? 0, range.weight)
        }
        let openMetrics = wanted["application/openmetrics-text"] ?? 0
        return openMetrics > 0 && openMetrics >= wanted["text/plain"] ?? 0
            ? .openMetrics : .prometheus
    }

    private init(_ element: Substring) {
        let parts = element.split(separator: ";").map { part in
            part.filter { $0 != " " && $0 != "\t" }.lowercased()
        }
        type = parts.first ?? ""
        weight = parts.dropFirst().lazy.compactMap(Self.weight).first ?? 1000
    }

    /// The thousandths of a weight; nil for another parameter.
    ///
    /// What can't be read is not wanted.
    private static func weight(_ parameter: String) -> Int? {
        guard parameter.hasPrefix("q=") else { return nil }
        let value = parameter.dropFirst(2).split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = value.first.flatMap({ Int($0) }), (0...1).contains(whole) else {
            return 0
        }
        guard value.count == 2, let fraction = value.last?.prefix(3) else { return whole * 1000 }
        let digits = fraction + String(repeating: "0", count: 3 - fraction.count)
        return min(1000, whole * 1000 + (Int(digits) ?? 0))
    }
}
