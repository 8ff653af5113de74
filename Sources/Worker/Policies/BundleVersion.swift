/// A build number made of numbers with full stops between: `1314`, `7.10.2`.
///
/// Compared number by number, where a missing one is 0: `7.9` comes before `7.10`, and `7` is
/// `7.0`. The numbers may have any size; nothing is converted to an integer.
///
/// Source: Apple, Information Property List, CFBundleVersion.
package struct BundleVersion: Hashable, Sendable {
    /// The text as it was written.
    package let text: String
    /// The numbers' digits without leading zeros, and without zeros at the end.
    private let numbers: [String]

    /// By its text; nil unless it is numbers of ASCII digits with single full stops between.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        var numbers: [String] = []
        for part in parts {
            guard !part.isEmpty,
                part.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            else { return nil }
            numbers.append(String(decoding: part.drop { $0 == UInt8(ascii: "0") }, as: UTF8.self))
        }
        while numbers.last?.isEmpty == true { numbers.removeLast() }
        self.text = text
        self.numbers = numbers
    }

    /// Equal if no number differs, however it is written.
    package static func == (left: BundleVersion, right: BundleVersion) -> Bool {
        left.numbers == right.numbers
    }

    /// Hashes what is compared.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(numbers)
    }
}

extension BundleVersion: Comparable {
    /// By the first number that differs.
    package static func < (left: BundleVersion, right: BundleVersion) -> Bool {
        for place in 0..<max(left.numbers.count, right.numbers.count) {
            let one = place < left.numbers.count ? left.numbers[place] : ""
            let other = place < right.numbers.count ? right.numbers[place] : ""
            guard one != other else { continue }
            // Of two numbers without leading zeros the longer one is the greater.
            let (size, otherSize) = (one.utf8.count, other.utf8.count)
            return size == otherSize
                ? one.utf8.lexicographicallyPrecedes(other.utf8) : size < otherSize
        }
        return false
    }
}
