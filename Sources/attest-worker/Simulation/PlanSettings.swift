import AttestTestKit
import Wire

/// What the devices of a plan have in common.
struct PlanSettings: Sendable {
    /// Dialects of request messages.
    enum Dialect: String, Hashable, Sendable, CaseIterable {
        case capgo
        case appCheck = "app-check"
        case plain
    }

    /// The app whose devices these are.
    var appID: String
    /// Who signs the devices' attestations.
    var authority: TestAuthority
    /// What keys, challenges and choices follow from, beside the authority's secret.
    var seed: UInt64
    /// What each request id begins with: by it answers are known among those of others.
    var idPrefix: String
    /// Which devices and systems there are; device by device the next one.
    var shapes = DeviceShape.allCases
    /// Which dialects the messages are in; message by message the next one.
    var dialects = Dialect.allCases
    /// How unevenly devices are chosen: device n weighs n to the power of minus this.
    var skew = 0.0
    /// Why a replay is refused: another reason where the app has a replay window.
    var replayReason = WorkerReason.counterNotIncreasing
}
