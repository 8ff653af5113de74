import AppAttest
import AttestTestKit
import SeededNumbers

/// All requests of a demo, in their order, each with what must come of it.
struct DemoPlan {
    /// The app whose devices these are.
    static let appID = "DEMO123456.com.example.wallet"

    /// What makes the requests, and knows what must be stored in the end.
    private(set) var plan: RequestPlan
    /// What is still to be planned, the next one last.
    private var kinds: [PlannedKind]

    /// Plans as many registrations and other requests as the options say.
    ///
    /// - Parameters:
    ///   - options: checked numbers.
    ///   - now: when the devices are attested.
    init(_ options: DemoOptions, now: Instant) {
        plan = RequestPlan(
            PlanSettings(
                appID: Self.appID, authority: TestAuthority(seed: options.seed),
                seed: options.seed, idPrefix: "demo-"), now: now)
        kinds = Self.kinds(options, &plan.random)
    }

    /// The kinds in a random order, but for the first two: whoever comes later finds a key that is
    /// registered, and an assertion that was made.
    private static func kinds(
        _ options: DemoOptions, _ random: inout SplitMix64
    ) -> [PlannedKind] {
        let others = PlannedKind.allCases.filter { $0 != .registration }
        let weighted = others.flatMap { [PlannedKind](repeating: $0, count: $0.weight) }
        var kinds = [PlannedKind](repeating: .registration, count: options.devices - 1)
        kinds += others.filter { $0 != .assertion }
        while kinds.count < options.requests - 2 {
            kinds.append(weighted.randomElement(using: &random) ?? .assertion)
        }
        kinds.shuffle(using: &random)
        return kinds + [.assertion, .registration]
    }

    /// Who signs the devices' attestations: the worker's trust anchor, in the demo only.
    var authority: TestAuthority {
        plan.settings.authority
    }

    /// Makes the next request; nil after the last.
    mutating func next() -> PlannedRequest? {
        kinds.popLast().map { plan.request($0) }
    }
}
