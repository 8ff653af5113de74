import AppAttest
import AttestTestKit

/// A registered device of a plan, and what it sent last.
struct PlannedDevice {
    /// Makes attestations and assertions.
    var simulated: SimulatedDevice
    /// The owner that the gateway names.
    let subject: String
    /// The record of its last honest request.
    var lastHonest: PlannedRequest
    /// Its last honest assertion.
    var lastAssertion: Assertion?

    /// An assertion and what it signs.
    struct Assertion {
        let minted: MintedAssertion
        let content: AssertionContent
    }
}
