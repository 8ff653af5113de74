import Glibc
import SeededNumbers

/// Chooses among devices, the earlier ones more often if asked to.
///
/// Device n weighs n⁻ˢ (Zipf's law): with s = 0 all weigh the same, with s = 1 of a thousand
/// devices the first one makes a seventh of all requests.
struct DeviceChooser {
    private let skew: Double
    /// The weights of all devices up to each.
    private var sums: [Double] = []

    /// - Parameter skew: the exponent s, not negative.
    init(skew: Double) {
        self.skew = skew
    }

    /// Takes the next device in.
    mutating func add() {
        sums.append((sums.last ?? 0) + pow(Double(sums.count + 1), -skew))
    }

    /// A device's index; nil while there are none.
    func choose(_ random: inout SplitMix64) -> Int? {
        guard let all = sums.last else { return nil }
        let point = Double.random(in: 0..<all, using: &random)
        // The first sum beyond the point, found by halving.
        var range = 0..<(sums.count - 1)
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range =
                sums[middle] > point
                ? range.lowerBound..<middle : (middle + 1)..<range.upperBound
        }
        return range.lowerBound
    }
}
