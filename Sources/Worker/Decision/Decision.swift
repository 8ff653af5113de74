internal import AppAttest
internal import Wire

/// Decides a batch: a pure function of what was judged and what was read under lock.
///
/// `Fence` says which partitions may be decided, this which requests are answered as before,
/// `BatchKeys` what a record makes of its key, and `KeyRule` why a genuine object is refused.
package struct Decision {
    private var keys: BatchKeys
    private var inbox: [RequestIdentity: InboxEntry]
    private let progress: [TopicPartition: Progress]
    private var writes = BatchWrites()
    private var decided = DecidedBatch()

    /// Decides.
    ///
    /// - Parameters:
    ///   - batch: judged records, in offset order within each partition.
    ///   - owned: what the lane believes of each partition it owns. All of them are looked at, not
    ///     only the batch's: a partition without new records would not notice that the database
    ///     lost commits.
    ///   - state: what was read under lock.
    ///   - policy: the apps' policies.
    ///   - audit: what the decisions rest on, where they are to be kept.
    /// - Returns: the writes, nil where nothing may be stored, and the answers.
    package static func decide(
        _ batch: [JudgedRecord], owned: [TopicPartition: OwnedPartition], state: BatchState,
        policy: Policy, audit: AuditBasis? = nil
    ) -> (writes: BatchWrites?, result: DecidedBatch) {
        let fence = Fence(
            Set(batch.map(\.record.partition)), owned: owned, progress: state.progress)
        var decision = Decision(state: state, fence: fence, policy: policy)
        decision.writes.audit = audit.map(AuditBatch.init)
        for judged in batch {
            let (answer, facts) = decision.answer(judged)
            decision.decided.answers.append(answer)
            decision.decided.facts.append(facts)
        }
        decision.writes.registrations = decision.keys.registrations
        decision.writes.uses = decision.keys.uses
        decision.writes.sightings = decision.keys.sightings
        decision.writes.once = decision.keys.once
        let writes = decision.decided.nextOffsets.isEmpty ? nil : decision.writes
        return (writes, decision.decided)
    }

    private init(state: BatchState, fence: Fence, policy: Policy) {
        keys = BatchKeys(
            state.keys, owned: state.owned, standings: state.standings,
            used: state.used, policy: policy)
        inbox = state.inbox
        progress = state.progress
        writes.progress = fence.open
        decided.nextOffsets = fence.open.mapValues(\.nextOffset)
        decided.fenced = fence.fenced
        decided.fallenBack = fence.fallenBack
    }

    private mutating func answer(_ judged: JudgedRecord) -> (Answer, VerdictFacts?) {
        let partition = judged.record.partition
        guard var row = writes.progress[partition] else { return (.nothing, nil) }
        let offset = judged.record.place.offset
        row.nextOffset = max(row.nextOffset, offset + 1)
        row.lastTimestampMilliseconds = max(
            row.lastTimestampMilliseconds, judged.latestTimestamp)
        writes.progress[partition] = row
        decided.nextOffsets[partition] = row.nextOffset
        decided.answeredOffsets[partition] = offset + 1

        if case .unanswerable(let cause) = judged.claim { return (.deadLetter(cause), nil) }
        if let entry = inbox[judged.identity] { return repeated(judged, entry) }
        if wasDecidedBefore(judged) {
            let stale = keys.verdict(on: judged, .rejected(.worker(.staleRequest)))
            return (
                .verdict(bytes: stale.encode(), id: stale.verdictID, isRepeat: true), stale.facts
            )
        }
        let found = keys.found(judged)
        let decided = keys.decide(judged)
        note(decided, on: judged, found)
        let bytes = decided.encode()
        let entry = InboxEntry(
            identity: judged.identity, contentDigest: judged.contentDigest, verdict: bytes)
        inbox[judged.identity] = entry
        writes.inbox.append(entry)
        return (
            .verdict(bytes: bytes, id: decided.verdictID, isRepeat: false), decided.facts
        )
    }

    /// Keeps a decision for the audit, if there is one.
    private mutating func note(
        _ verdict: Verdict, on judged: JudgedRecord, _ stored: StoredKey?
    ) {
        guard writes.audit != nil else { return }
        // A tombstone's requests leave no more than that it was one.
        let facts =
            stored?.status == .erased
            ? AuditFacts.ofErased
            : AuditFacts(
                verdict, recordMilliseconds: judged.record.timestampMilliseconds,
                stored: stored.map { AuditFacts.Stored($0, subject: judged.subject) },
                risk: judged.keyID.flatMap(keys.risk(of:)))
        guard let encoded = facts.encoded else { return }
        writes.audit?.entries.append(
            AuditEntry(
                identity: judged.identity, contentDigest: judged.contentDigest, facts: encoded))
    }

    /// A request that was decided before: the same bytes, or a conflict.
    private func repeated(
        _ judged: JudgedRecord, _ entry: InboxEntry
    ) -> (Answer, VerdictFacts?) {
        let isRedelivered = wasDecidedBefore(judged)
        guard !entry.isAnswer(to: judged) else {
            let answer = Answer.verdict(
                bytes: entry.verdict, id: judged.identity.verdictID, isRepeat: true)
            return (answer, VerdictFacts(repetition: isRedelivered ? .redelivered : .sentAgain))
        }
        var verdict = keys.verdict(on: judged, .rejected(.worker(.requestIDConflict)))
        verdict.verdictID = judged.identity.conflictVerdictID(
            contentDigest: judged.contentDigest, place: judged.record.place)
        var facts = verdict.facts
        if isRedelivered { facts.repetition = .redelivered }
        return (
            .verdict(bytes: verdict.encode(), id: verdict.verdictID, isRepeat: isRedelivered), facts
        )
    }

    /// Whether the record lies before the row's next offset.
    ///
    /// If the inbox knows nothing of it, its verdict was pruned, and deciding again could
    /// contradict it. A timestamp later than all that were decided can't belong to the log those
    /// were in: the topic was made anew.
    private func wasDecidedBefore(_ judged: JudgedRecord) -> Bool {
        guard let row = progress[judged.record.partition] else { return false }
        return judged.record.place.offset < row.nextOffset
            && (judged.record.timestampMilliseconds ?? 0) <= row.lastTimestampMilliseconds
    }
}

extension InboxEntry {
    /// Whether it was decided on the content of this record.
    ///
    /// Versions without tokens did not look at `limitedUse`. Where no token was handed out it made
    /// no difference, and what was decided stands.
    fileprivate func isAnswer(to judged: JudgedRecord) -> Bool {
        contentDigest == judged.contentDigest
            || contentDigest == judged.formerDigest && !IssuedToken.isPresent(in: verdict)
    }
}
