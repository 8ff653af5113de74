import BenchmarkSupport

/// The measurements as people and programs read them.
enum Report {
    /// A table in Markdown.
    static func table(_ measured: [Measurement]) -> String {
        let rows = measured.map { one in
            let ratio = one.ratio.map { decimal($0, digits: 3) } ?? "limit"
            let target = one.subject.target.map { "≥ " + decimal($0, digits: 2) } ?? ""
            let perSecond = decimal(1e6 / one.bestMicroseconds, digits: 0)
            return "| \(one.subject.name) | \(decimal(one.bestMicroseconds, digits: 1)) "
                + "| \(perSecond) | \(ratio) | \(target) | \(decimal(one.allocations, digits: 1)) |"
        }
        return """
            | one thread | best µs | per s | ratio to the limit | target | allocations |
            | --- | ---: | ---: | ---: | ---: | ---: |
            \(rows.joined(separator: "\n"))
            """
    }

    /// A JSON array with an object for each measurement.
    static func json(_ measured: [Measurement]) -> String {
        let objects = measured.map { one in
            var members = [
                #""name":"\#(one.subject.name)""#,
                #""bestMicroseconds":\#(decimal(one.bestMicroseconds, digits: 3))"#,
                #""allocations":\#(decimal(one.allocations, digits: 2))"#,
            ]
            if let ratio = one.ratio { members.append(#""ratio":\#(decimal(ratio, digits: 4))"#) }
            if let limit = one.subject.limit { members.append(#""limit":"\#(limit)""#) }
            if let target = one.subject.target {
                members.append(#""target":\#(decimal(target, digits: 2))"#)
            }
            return "{" + members.joined(separator: ",") + "}"
        }
        return "[" + objects.joined(separator: ",\n ") + "]\n"
    }
}

extension Measurement {
    /// Whether the ratio is at least the target; true where there is none.
    var isTargetMet: Bool {
        guard let target = subject.target else { return true }
        return (ratio ?? 0) >= target
    }
}
