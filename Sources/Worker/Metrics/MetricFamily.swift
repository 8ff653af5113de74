/// What is told under one name: its type, unit, labels and text.
///
/// Families are made in ``MetricTable`` only. A name never depends on a setting, and a label never
/// holds a key id, a request id, a subject or anything else that a request brought along.
package struct MetricFamily: Sendable {
    /// How a family's values behave.
    package enum Kind: Hashable, Sendable {
        /// Only rises, until the process ends.
        case counter
        /// Goes up and down; of several lanes' values of one series the sum is told.
        case gauge
        /// Goes up and down; of several lanes' values of one series the largest is told.
        case gaugeOfLargest
        /// How many values were no larger than each of these bounds, ascending, in the units of
        /// ``Unit``.
        case histogram([Int])
        /// A gauge that is always 1: what it tells are its labels.
        case info
    }

    /// What values are counted in.
    package enum Unit: String, Hashable, Sendable {
        /// Things: whole numbers, told as they are.
        case none = ""
        /// Kept as whole microseconds, told as seconds.
        case seconds
        /// Whole bytes.
        case bytes
    }

    /// The name without a type's suffix: `attest_worker_verdicts`, `…_duration_seconds`.
    package let name: String
    /// How its values behave.
    package let kind: Kind
    /// What they are counted in.
    package let unit: Unit
    /// The labels' names, in order.
    package let labels: [String]
    /// One sentence for a person.
    package let help: String
    /// Series that are told from the start with 0, so that a first event is a rise.
    package let zeros: [[String]]
    /// How many series there may be; what comes beyond has `other` in each label.
    package let seriesMax: Int

    init(
        _ name: String, _ kind: Kind, _ unit: Unit, labels: [String] = [],
        zeros: [[String]] = [], seriesMax: Int = 1000, _ help: String
    ) {
        self.name = name
        self.kind = kind
        self.unit = unit
        self.labels = labels
        self.help = help
        self.seriesMax = seriesMax
        let startsAtZero = kind.isCounted && labels.isEmpty
        self.zeros = startsAtZero ? [[]] : zeros
    }

    /// A family that counts things.
    init(
        _ name: String, _ kind: Kind, labels: [String] = [], zeros: [[String]] = [],
        seriesMax: Int = 1000, _ help: String
    ) {
        self.init(name, kind, .none, labels: labels, zeros: zeros, seriesMax: seriesMax, help)
    }

    /// The name as queries have it: with the suffix of a counter or of an info.
    package var queryName: String {
        switch kind {
        case .counter: name + "_total"
        case .info: name + "_info"
        case .gauge, .gaugeOfLargest, .histogram: name
        }
    }

    /// The type by the words of OpenMetrics.
    package var typeName: String {
        switch kind {
        case .counter: "counter"
        case .gauge, .gaugeOfLargest: "gauge"
        case .histogram: "histogram"
        case .info: "info"
        }
    }
}

extension MetricFamily: Hashable {
    /// By name, which no two families share.
    package static func == (left: MetricFamily, right: MetricFamily) -> Bool {
        left.name == right.name
    }

    /// By name.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }
}

extension MetricFamily.Kind {
    /// Whether a series stands for things that happened, so that there may be none of them yet.
    fileprivate var isCounted: Bool {
        switch self {
        case .counter, .histogram: true
        case .gauge, .gaugeOfLargest, .info: false
        }
    }
}
