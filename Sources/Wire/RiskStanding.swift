package import AppAttest
internal import FoundationEssentials

/// What a verdict tells of its key's risk.
package struct RiskStanding: Hashable, Sendable {
    /// About how many keys the device made for the app in 30 days, by Apple's newest receipt.
    package var metric: UInt32
    /// When Apple made the receipt that tells it.
    package var asOf: Instant

    /// A standing from its parts.
    package init(metric: UInt32, asOf: Instant) {
        self.metric = metric
        self.asOf = asOf
    }

    /// Adds the members of a verdict's `risk`.
    func write(to object: inout JSONWriter) {
        object.add("asOf", asOf.riskText)
        object.add("metric", metric)
    }
}

extension Instant {
    /// RFC 3339 §5.6 in UTC, whole seconds: `2026-01-31T12:00:00Z`.
    var riskText: String {
        Date(timeIntervalSince1970: TimeInterval(wholeSeconds)).formatted(.iso8601)
    }
}
