import AppAttest
import AttestTestKit
import Testing

@Test func `orders are taken from attested phones, once, and unchanged`() throws {
    let authority = TestAuthority(seed: 1)
    let root = try #require(TrustAnchor(der: authority.rootCertificate))
    var backend = OrderBackend(appID: "TEAM.com.example.app", trustAnchor: root)
    var phone = SimulatedDevice(seed: 7, appID: "TEAM.com.example.app", authority: authority)
    let now = Instant(seconds: 1_790_000_000)

    // Attestations that lie are refused, each for its lie; then an honest one registers the phone.
    for lie in AttestationLie.allCases.map(Optional.some) + [nil] {
        let challenge = RegistrationContent.capgo(challenge: backend.issue(challenge: "c-1"))
        let attestation = phone.attest(clientDataHash: challenge.clientDataHash, at: now, lie: lie)
        let record = MintedRequest(registration: attestation, challenge)
        #expect(backend.verdict(on: record.json, at: now) == lie?.rejection.rawValue ?? "accepted")
    }
    // So are orders that lie; then an honest one is taken, and refused when it comes again.
    let order = AssertionContent.capgo(payload: #"{"amount": 3}"#)
    for lie in AssertionLie.allCases.map(Optional.some) + [nil] {
        let assertion = phone.assert(clientDataHash: order.clientDataHash, lie: lie)
        let record = MintedRequest(assertion: assertion, order)
        #expect(backend.verdict(on: record.json, at: now) == lie?.rejection.rawValue ?? "accepted")
        if lie == nil { #expect(backend.verdict(on: record.json, at: now) == "replayed") }
    }
}
