import PostgresStore
import Worker

/// What `reconcile` found and did.
struct ReconcileReport: Encodable, Equatable {
    var dryRun: Bool
    /// Records of the verdict topic that were read.
    var verdicts: Int
    /// Those that accept something.
    var accepted: Int
    /// Those of them that workers will give again.
    var decidedAgain: Int
    /// Those in which there is no verdict.
    var unreadable: Int
    /// Sign counts that were raised, or would be.
    var raised: Int
    /// Replay windows that were closed for a count, or would be.
    var closed: Int
    /// Keys that were accepted and are not in the database.
    var missingKeys: Int
    /// Partitions at which workers halt.
    var halted: [Gap]
    /// Whether those may go on.
    var gapAccepted: Bool

    init(
        _ outcome: Reconciler<PostgresKeyStore>.Outcome, gaps: [Gap], isGapAccepted: Bool,
        isDryRun: Bool
    ) {
        dryRun = isDryRun
        verdicts = outcome.records
        accepted = outcome.accepted
        decidedAgain = outcome.decidedAgain
        unreadable = outcome.unreadable
        raised = outcome.raised
        closed = outcome.closed
        missingKeys = outcome.missingKeys.count
        halted = gaps
        gapAccepted = isGapAccepted && !isDryRun
    }

    /// For a person.
    var lines: [String] {
        var lines = [
            "\(verdicts) verdicts read, of which \(accepted) accept something and \(unreadable)"
                + " can't be read",
            "\(raised) sign counts \(dryRun ? "would be raised" : "raised")",
        ]
        if decidedAgain > 0 {
            lines.append(
                "\(decidedAgain) verdicts raise nothing: the request topic still holds their"
                    + " requests, and workers decide these again with the same outcome")
        }
        if closed > 0 {
            lines.append(
                "\(closed) keys with a replay window \(dryRun ? "would learn" : "learned") of"
                    + " counts that were accepted below theirs")
        }
        if missingKeys > 0 {
            let least = missingKeys >= Reconciler<PostgresKeyStore>.missingKeysMax
            lines.append(
                "\(least ? "at least " : "")\(missingKeys) keys were accepted and are not in the"
                    + " database: their registrations were lost with it, or they were erased. A"
                    + " verdict holds no public key, so the apps must attest anew; until then their"
                    + " assertions are `unknown_key`")
        }
        for gap in halted {
            let fate =
                gapAccepted
                ? "goes on from there"
                : "stays halted: --accept-gap lets it go on from there"
            lines.append(
                "\(gap.topic) [\(gap.partition)]: decisions from offset \(gap.nextOffset) on were"
                    + " lost, and the topic begins at \(gap.low); it \(fate)")
        }
        if halted.contains(where: { !$0.isCovered }) {
            lines.append(
                "WARNING: the verdicts that were read may not reach back to the last decision the"
                    + " database knows: sign counts may still be too low for some keys, and an old"
                    + " assertion of theirs could be accepted once more")
        }
        return lines
    }
}
