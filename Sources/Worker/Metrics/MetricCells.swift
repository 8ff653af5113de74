/// Values of series: counted, measured, added up over lanes.
///
/// A value type. A lane keeps one behind a lock that is held for no longer than it takes to count;
/// whoever tells the values takes a copy and works on that.
package struct MetricCells: Sendable {
    /// The value of one series.
    package enum Value: Hashable, Sendable {
        /// A count, or a gauge.
        case number(Int)
        /// How many values fell under each bound, behind the last bound too, and their sum.
        case histogram(counts: [Int], sum: Int)
    }

    private var families: [MetricFamily: [[String]: Value]] = [:]

    /// No values at all.
    package init() {}

    /// The value of each series of a family, by its labels' values.
    package subscript(family: MetricFamily) -> [[String]: Value] {
        families[family] ?? [:]
    }

    /// The families that have values.
    package var names: Set<String> {
        Set(families.keys.map(\.name))
    }

    /// Raises a counter.
    package mutating func count(
        _ family: MetricFamily, _ labels: [String] = [], by amount: Int = 1
    ) {
        change(family, labels) { value in
            if case .number(let number) = value { value = .number(number &+ amount) }
        }
    }

    /// Sets a gauge, or an info.
    package mutating func set(_ family: MetricFamily, _ labels: [String] = [], to number: Int) {
        change(family, labels) { $0 = .number(number) }
    }

    /// Puts a value into a histogram, several times if need be.
    package mutating func observe(
        _ family: MetricFamily, _ labels: [String], _ measured: Int, times: Int = 1
    ) {
        guard case .histogram(let bounds) = family.kind else { return }
        change(family, labels) { value in
            guard case .histogram(var counts, let sum) = value else { return }
            // Else the copy kept in `value` would have to be copied for the change.
            value = .number(0)
            counts[bounds.firstIndex { measured <= $0 } ?? bounds.count] += times
            value = .histogram(counts: counts, sum: sum &+ measured &* times)
        }
    }

    /// Puts durations into a histogram of seconds.
    package mutating func observe(
        _ family: MetricFamily, _ labels: [String], _ durations: [Duration]
    ) {
        guard case .histogram(let bounds) = family.kind, !durations.isEmpty else { return }
        change(family, labels) { value in
            guard case .histogram(var counts, var sum) = value else { return }
            value = .number(0)
            for duration in durations {
                let measured = max(0, duration.wholeMicroseconds)
                counts[bounds.firstIndex { measured <= $0 } ?? bounds.count] += 1
                sum = sum &+ measured
            }
            value = .histogram(counts: counts, sum: sum)
        }
    }

    /// Puts a duration into a histogram of seconds.
    package mutating func observe(
        _ family: MetricFamily, _ labels: [String], _ duration: Duration, times: Int = 1
    ) {
        observe(family, labels, max(0, duration.wholeMicroseconds), times: times)
    }

    /// Gives every family that starts at zero its series.
    package mutating func addZeros(_ families: [MetricFamily] = MetricTable.all) {
        for family in families {
            for labels in family.zeros { change(family, labels) { _ in } }
        }
    }

    /// Adds another lane's values: sums, but for gauges of which the largest counts.
    package mutating func merge(_ other: MetricCells) {
        for (family, series) in other.families {
            for (labels, added) in series {
                update(&families[family, default: [:]], family, labels) { value in
                    value = added
                } _: { value in
                    value = combined(value, added, by: family.kind)
                }
            }
        }
    }

    /// Changes the value of a series, which starts at zero.
    private mutating func change(
        _ family: MetricFamily, _ labels: [String], _ change: (inout Value) -> Void
    ) {
        update(&families[family, default: [:]], family, labels, change, change)
    }
}

/// Looks a series up once where it exists, as it nearly always does.
private func update(
    _ series: inout [[String]: MetricCells.Value], _ family: MetricFamily, _ labels: [String],
    _ begin: (inout MetricCells.Value) -> Void, _ change: (inout MetricCells.Value) -> Void
) {
    if let place = series.index(forKey: labels) { return change(&series.values[place]) }
    guard series.count >= family.seriesMax else {
        var value = family.zero
        begin(&value)
        series[labels] = value
        return
    }
    let other = labels.map { _ in "other" }
    if let place = series.index(forKey: other) { return change(&series.values[place]) }
    var value = family.zero
    begin(&value)
    series[other] = value
}

extension MetricFamily {
    fileprivate var zero: MetricCells.Value {
        guard case .histogram(let bounds) = kind else { return .number(0) }
        return .histogram(counts: Array(repeating: 0, count: bounds.count + 1), sum: 0)
    }
}

private func combined(
    _ left: MetricCells.Value, _ right: MetricCells.Value, by kind: MetricFamily.Kind
) -> MetricCells.Value {
    switch (left, right) {
    case (.number(let left), .number(let right)):
        switch kind {
        case .gaugeOfLargest, .info: .number(max(left, right))
        case .counter, .gauge, .histogram: .number(left &+ right)
        }
    case (.histogram(let counts, let sum), .histogram(let others, let otherSum)):
        .histogram(counts: zip(counts, others).map { $0 &+ $1 }, sum: sum &+ otherSum)
    case (.number, .histogram), (.histogram, .number):
        left
    }
}

extension Duration {
    /// Whole microseconds; what is smaller is dropped, what is too large is clamped.
    package var wholeMicroseconds: Int {
        Int(clamping: attoseconds / 1_000_000_000_000)
    }
}
