import AppAttest
import AttestTestKit
import Foundation
import SeededNumbers
import Testing

/// Two verifiers, written apart in two languages on other libraries, against each other.
@Suite struct `Two verifiers` {
    /// Set ATTEST_SEED to mint the cases of another seed.
    static let seed =
        ProcessInfo.processInfo.environment["ATTEST_SEED"].flatMap { UInt64($0) } ?? 20_261_130

    /// Each lie and none on each shape, all else right: the reason is known.
    static func plainCases(_ maker: inout CaseMaker) -> [(DifferentialCase, RejectionCode?)] {
        DeviceShape.allCases.map { Knobs($0) }.flatMap { knobs in
            attestationLies.map { (maker.attestation(lie: $0, knobs), $0?.rejection) }
                + assertionLies.map { (maker.assertion(lie: $0, knobs), $0?.rejection) }
        }
    }

    /// Honest objects of every two values that no verifier minds: all are accepted.
    static func harmlessCases(_ maker: inout CaseMaker) -> [(DifferentialCase, RejectionCode?)] {
        maker.pairs(lies: 1, Knobs.harmless).flatMap { row in
            let knobs = Knobs(row.dropFirst(), of: Knobs.harmless)
            let made = [
                maker.attestation(lie: nil, knobs), maker.assertion(lie: nil, knobs),
            ]
            return made.map { made -> (DifferentialCase, RejectionCode?) in (made, nil) }
        }
    }

    /// Every two values of different knobs, the lie being one of these, in some case.
    static func pairedCases(_ maker: inout CaseMaker) -> [DifferentialCase] {
        maker.pairs(lies: attestationLies.count, Knobs.ofAttestations).map { row in
            maker.attestation(
                lie: attestationLies[row[0]],
                Knobs(row.dropFirst(), of: Knobs.ofAttestations))
        }
            + maker.pairs(lies: assertionLies.count, Knobs.ofAssertions).map { row in
                maker.assertion(
                    lie: assertionLies[row[0]], Knobs(row.dropFirst(), of: Knobs.ofAssertions))
            }
    }

    /// Any knobs, and one place changed: of these there are too many to try all.
    static func changedCases(_ maker: inout CaseMaker) -> [DifferentialCase] {
        let honest = 0..<150
        return (attestationLies + honest.map { _ in nil }).map { lie in
            maker.attestation(lie: lie, maker.attestationKnobs(), isChanged: true)
        }
            + (assertionLies + honest.map { _ in nil }).map { lie in
                maker.assertion(lie: lie, maker.assertionKnobs(), isChanged: true)
            }
    }

    private static let attestationLies = AttestationLie.allCases.map(Optional.some) + [nil]
    private static let assertionLies = AssertionLie.allCases.map(Optional.some) + [nil]

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
        var maker = CaseMaker(seed: Self.seed)
        let known = Self.plainCases(&maker) + Self.harmlessCases(&maker)
        let cases =
            known.map(\.0) + Self.pairedCases(&maker) + Self.changedCases(&maker)
        let others = try SecondVerifier.reasons(for: cases)
        #expect(others.count == cases.count)
        var counts: [RejectionCode?: Int] = [:]
        for (number, made) in cases.enumerated() {
            let own = try made.reason()
            if number < known.count { #expect(own == known[number].1, "\(made.id)") }
            let other = try #require(others[made.id], "\(made.id) was not judged")
            counts[own, default: 0] += 1
            if !agree(own, other.flatMap(RejectionCode.init)) || (other == nil) != (own == nil) {
                Issue.record(
                    """
                    \(made.id): \(own?.rawValue ?? "accepted") here, \(other ?? "accepted") there
                    """)
            }
        }
        // Otherwise the cases would prove little.
        #expect(counts[nil, default: 0] > 150)
        #expect(
            Set(counts.keys.compactMap(\.self))
                == Set(RejectionCode.allCases.filter { !$0.isOfReceipts }))
    }

    private func agree(_ own: RejectionCode?, _ other: RejectionCode?) -> Bool {
        guard let own, let other else { return own == other }
        return own == other || Self.classes.contains { $0.isSuperset(of: [own, other]) }
    }
}

@Suite struct `All pairs` {
    @Test(arguments: [[2, 2], [3, 1, 2], [7, 5, 4, 3, 2], [40, 9, 9, 6, 2]])
    func `stand together in few rows`(_ counts: [Int]) {
        var random = SplitMix64(seed: 3)
        let rows = AllPairs.rows(counts, using: &random)
        for lower in counts.indices {
            for upper in counts.indices.dropFirst(lower + 1) {
                let pairs = Set(rows.map { [$0[lower], $0[upper]] })
                #expect(pairs.count == counts[lower] * counts[upper], "\(lower) and \(upper)")
            }
        }
        #expect(rows.allSatisfy { zip($0, counts).allSatisfy { (0..<$1).contains($0) } })
        let largest = counts.sorted().suffix(2).reduce(1, *)
        #expect(rows.count <= largest * 3 / 2 + 2)
    }
}
