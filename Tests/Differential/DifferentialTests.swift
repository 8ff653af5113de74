import AppAttest
import AttestTestKit
import Foundation
import Testing

/// Two verifiers, written apart in two languages on other libraries, against each other.
@Suite struct `Two verifiers` {
    /// Set ATTEST_SEED to mint the cases of another seed.
    static let seed =
        ProcessInfo.processInfo.environment["ATTEST_SEED"].flatMap { UInt64($0) } ?? 20_261_130

    /// Every lie with all else right and with all else by chance; and by chance, honest objects;
    /// and either with changed bytes.
    static func cases() -> [DifferentialCase] {
        var maker = CaseMaker(seed: seed)
        var cases: [DifferentialCase] = []
        for lie in AttestationLie.allCases {
            cases.append(maker.attestation(lie: lie, .met))
            cases.append(maker.attestation(lie: lie, .byChance))
            cases.append(maker.attestation(lie: lie, isChanged: true, .byChance))
        }
        for lie in AssertionLie.allCases {
            cases.append(maker.assertion(lie: lie, .met))
            cases.append(maker.assertion(lie: lie, .byChance))
            cases.append(maker.assertion(lie: lie, isChanged: true, .byChance))
        }
        for _ in 0..<150 {
            cases.append(maker.attestation(lie: nil, .byChance))
            cases.append(maker.attestation(lie: nil, isChanged: true, .byChance))
            cases.append(maker.assertion(lie: nil, .byChance))
            cases.append(maker.assertion(lie: nil, isChanged: true, .byChance))
        }
        return cases
    }

    /// Reasons that may stand for each other: which of several flaws of a structure, a certificate
    /// or a nonce is found first says nothing about who is let in.
    static let classes: [Set<RejectionCode>] = [
        [.wrongFormat, .malformedAttestation],
        [.chainInvalid, .certificateExpired, .certificateNotYetValid, .leafKeyNotP256],
        [.nonceMissing, .nonceMalformed, .nonceMismatch],
    ]

    @Test(
        .enabled(
            if: SecondVerifier.isThere,
            "the second verifier has no Python; deploy/python-environment.sh makes one"))
    func `agree on whatever is minted, honest, lying or changed`() throws {
        print("cases of seed \(Self.seed); another with ATTEST_SEED")
        let cases = Self.cases()
        let others = try SecondVerifier.reasons(for: cases)
        #expect(others.count == cases.count)
        var counts: [RejectionCode?: Int] = [:]
        for made in cases {
            let own = try made.reason()
            let other = try #require(others[made.id], "\(made.id) was not judged")
            counts[own, default: 0] += 1
            #expect(
                agree(own, other.flatMap(RejectionCode.init)) && (other == nil) == (own == nil),
                "\(made.id): \(own?.rawValue ?? "accepted") here, \(other ?? "accepted") there")
        }
        // Otherwise the cases would prove little.
        #expect(counts[nil, default: 0] > cases.count / 10)
        #expect(Set(counts.keys.compactMap(\.self)) == Set(RejectionCode.allCases))
    }

    private func agree(_ own: RejectionCode?, _ other: RejectionCode?) -> Bool {
        guard let own, let other else { return own == other }
        return own == other || Self.classes.contains { $0.isSuperset(of: [own, other]) }
    }
}
