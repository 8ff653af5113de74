import AppAttest
import FoundationEssentials
import KafkaTransport
import Worker

// Flags that several operators' commands have.

extension CommandFlags {
    /// An offset, or a time as RFC 3339 has it.
    ///
    /// - Returns: nil if the flag was not given, or is wrong: then that is noted.
    mutating func bound(_ name: String) -> LogBound? {
        value(name, mustBe: "an offset, or a time such as 2026-01-31T12:00:00Z") { text in
            if let offset = Int64(text), offset >= 0 { return .offset(offset) }
            return Instant(rfc3339: text).map { .time($0) }
        }
    }

    /// Partition numbers with commas between them; nil is all.
    mutating func partitions(_ name: String = "--partition") -> Set<Int32>? {
        value(name, mustBe: "a partition's number, or several with commas between them") { text in
            let numbers = text.split(separator: ",", omittingEmptySubsequences: false)
                .map { Int32($0) }
            let valid = numbers.compactMap { $0 }.filter { $0 >= 0 }
            return valid.count == numbers.count ? Set(valid) : nil
        }
    }
}

extension TopicInspector {
    /// The partitions of some topics, or those of them that are asked for.
    ///
    /// - Throws: also `.stop(.usage)` where one that is asked for is in none of the topics.
    func partitions(
        of topics: [String], only numbers: Set<Int32>?
    ) throws(Fault) -> [TopicPartition] {
        var found: [TopicPartition] = []
        for topic in topics { found += try partitions(of: topic) }
        guard let numbers else { return found }
        let missing = numbers.subtracting(found.map(\.partition)).sorted()
        guard missing.isEmpty else {
            throw Fault(
                operation: "look for partitions", code: "no_partition",
                disposition: .stop(.usage),
                message: "\(topics.joined(separator: ", ")) has no partition \(missing[0])")
        }
        return found.filter { numbers.contains($0.partition) }
    }
}
