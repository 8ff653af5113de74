import AppAttest
package import Wire

/// What is answered to one record.
package enum Answer: Sendable {
    /// A verdict: its bytes, and whether they were decided before.
    case verdict(bytes: [UInt8], id: VerdictID, isRepeat: Bool)
    /// A dead letter.
    case deadLetter(DeadLetter.Cause)
    /// Nothing: the partition is no longer this lane's, or is to be read again from further back.
    case nothing
}

/// What is counted of a verdict; nothing of it goes into the verdict.
package struct VerdictFacts: Hashable, Sendable {
    /// Why the same request comes again.
    package enum Repetition: Hashable, Sendable {
        /// Kafka delivered a record again.
        case redelivered
        /// A gateway sent the request again.
        case sentAgain
    }

    /// The configured app it names.
    package var appID: String?
    /// Why it was rejected; nil where it was accepted, or was decided before.
    package var reason: Reason?
    /// Whether the app's devices are simulated.
    package var isSimulated = false
    /// Set where the answer is the one it had before.
    package var repetition: Repetition?
}

/// What a lane believes about a partition it owns.
package struct OwnedPartition: Hashable, Sendable {
    /// The epoch of its claim.
    package var epoch: Int64
    /// The next offset as the lane last saw it in the row.
    package var nextOffset: Int64
    /// The first offset whose verdict is not known to be delivered.
    package var publishedOffset: Int64

    /// A belief from its parts.
    package init(epoch: Int64, nextOffset: Int64, publishedOffset: Int64) {
        self.epoch = epoch
        self.nextOffset = nextOffset
        self.publishedOffset = publishedOffset
    }
}

/// The outcome of deciding a batch.
package struct DecidedBatch: Sendable {
    /// One answer a record, in the batch's order.
    package var answers: [Answer] = []
    /// What is counted of each answer; nil where it is no verdict.
    package var facts: [VerdictFacts?] = []
    /// Where each partition's row stands when the writes are stored.
    package var nextOffsets: [TopicPartition: Int64] = [:]
    /// Where each partition stands when the answers are delivered: behind the batch's last record.
    ///
    /// Lower than the row's next offset where records come back that were decided before: those
    /// between the two are not answered by this batch, so nothing may be committed past this.
    package var answeredOffsets: [TopicPartition: Int64] = [:]
    /// Partitions that another lane has claimed since.
    package var fenced: Set<TopicPartition> = []
    /// Partitions whose row fell back behind what this lane has seen, each with the offset to read
    /// again from: the database lost commits.
    package var fallenBack: [TopicPartition: Int64] = [:]
}

/// Decides a batch: a pure function of what was judged and what was read under lock.
///
/// Per key, in offset order, "accept iff the sign count is above the stored one and above every one
/// accepted earlier in the batch" is a running maximum; so a batch with one key fifty times writes
/// one row for it.
package struct Decision {
    private var keys: [KeyID: StoredKey]
    private var inbox: [RequestIdentity: InboxEntry]
    private let progress: [TopicPartition: Progress]
    private let policy: Policy
    private var writes = BatchWrites()
    private var registrations: [KeyID: KeyRegistration] = [:]
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
    /// - Returns: the writes, nil where nothing may be stored, and the answers.
    package static func decide(
        _ batch: [JudgedRecord], owned: [TopicPartition: OwnedPartition], state: BatchState,
        policy: Policy
    ) -> (writes: BatchWrites?, result: DecidedBatch) {
        var decision = Decision(state: state, policy: policy)
        decision.fence(Set(batch.map(\.record.partition)), owned: owned)
        for judged in batch {
            let (answer, facts) = decision.answer(judged)
            decision.decided.answers.append(answer)
            decision.decided.facts.append(facts)
        }
        decision.writes.registrations = decision.registrations.values.sorted {
            $0.key.keyID < $1.key.keyID
        }
        let writes = decision.decided.nextOffsets.isEmpty ? nil : decision.writes
        return (writes, decision.decided)
    }

    private init(state: BatchState, policy: Policy) {
        keys = state.keys
        inbox = state.inbox
        progress = state.progress
        self.policy = policy
    }

    /// Sorts the partitions into those that may be decided and those that may not.
    ///
    /// - Parameters:
    ///   - partitions: those of the batch.
    ///   - owned: what the lane believes.
    private mutating func fence(
        _ partitions: Set<TopicPartition>, owned: [TopicPartition: OwnedPartition]
    ) {
        for partition in partitions.union(owned.keys) {
            guard let belief = owned[partition], var row = progress[partition],
                row.epoch == belief.epoch
            else {
                decided.fenced.insert(partition)
                continue
            }
            guard row.nextOffset >= belief.nextOffset else {
                decided.fallenBack[partition] = row.nextOffset
                continue
            }
            guard partitions.contains(partition) else { continue }
            row.publishedOffset = max(row.publishedOffset, belief.publishedOffset)
            writes.progress[partition] = row
            decided.nextOffsets[partition] = row.nextOffset
        }
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
            let stale = verdict(on: judged, .rejected(.worker(.staleRequest)))
            return (
                .verdict(bytes: stale.encode(), id: stale.verdictID, isRepeat: true), stale.facts
            )
        }
        let decided = decide(judged)
        let bytes = decided.encode()
        let entry = InboxEntry(
            identity: judged.identity, contentDigest: judged.contentDigest, verdict: bytes)
        inbox[judged.identity] = entry
        writes.inbox.append(entry)
        return (
            .verdict(bytes: bytes, id: judged.identity.verdictID, isRepeat: false), decided.facts
        )
    }

    /// A request that was decided before: the same bytes, or a conflict.
    private func repeated(
        _ judged: JudgedRecord, _ entry: InboxEntry
    ) -> (Answer, VerdictFacts?) {
        let isRedelivered = wasDecidedBefore(judged)
        guard entry.contentDigest != judged.contentDigest else {
            let answer = Answer.verdict(
                bytes: entry.verdict, id: judged.identity.verdictID, isRepeat: true)
            return (answer, VerdictFacts(repetition: isRedelivered ? .redelivered : .sentAgain))
        }
        var verdict = verdict(on: judged, .rejected(.worker(.requestIDConflict)))
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

    private mutating func decide(_ judged: JudgedRecord) -> Verdict {
        // A tombstone answers whatever names it, also what is no genuine object.
        if isErased(judged.keyID) { return verdict(on: judged, .rejected(.worker(.keyErased))) }
        switch judged.claim {
        case .refused(let reason): return verdict(on: judged, .rejected(reason))
        case .registration(let attestation): return register(judged, attestation)
        case .assertion(let assertion): return advance(judged, assertion)
        case .unanswerable: preconditionFailure("dead letters are answered before any decision")
        }
    }

    private mutating func register(
        _ judged: JudgedRecord, _ attestation: VerifiedAttestation
    ) -> Verdict {
        var verdict = verdict(on: judged, .accepted, app: attestation.appID)
        verdict.environment = attestation.environment
        verdict.signCount = 0
        verdict.validationCategory = attestation.extensions.validationCategory
        verdict.bundleVersion = attestation.extensions.bundleVersion
        verdict.platform = attestation.platform
        verdict.osVersion = attestation.osVersion

        let stored = keys[attestation.keyID]
        if let stored, let refusal = refusal(of: attestation, judged.subject, by: stored) {
            verdict.outcome = .rejected(refusal)
            return verdict
        }
        verdict.reattested = stored != nil
        let key = stored ?? StoredKey(attestation, subject: judged.subject, by: policy)
        keys[attestation.keyID] = key
        registrations[attestation.keyID] = KeyRegistration(
            key: key, receipt: attestation.receipt, platform: attestation.platform,
            osVersion: attestation.osVersion,
            attestedAt: Instant(milliseconds: judged.record.timestampMilliseconds ?? 0))
        return verdict
    }

    /// Why a known key can't be attested again; nil if it can.
    private func refusal(
        of attestation: VerifiedAttestation, _ subject: String?, by stored: StoredKey
    ) -> Reason? {
        switch stored.status {
        case .erased: return .worker(.keyErased)
        case .revoked: return .worker(.keyRevoked)
        case .active: break
        }
        guard stored.appID == attestation.appID else { return .verification(.appIDMismatch) }
        guard stored.environment == attestation.environment else {
            return .verification(.environmentMismatch)
        }
        guard stored.attestedBy == policy.apps[attestation.appID]?.authority else {
            return .verification(.chainInvalid)
        }
        guard stored.mayBeUsed(by: subject) else { return .worker(.subjectMismatch) }
        switch policy.apps[attestation.appID]?.reattestation ?? .accept {
        case .accept: return nil
        case .reject: return .worker(.keyAlreadyRegistered)
        }
    }

    private mutating func advance(_ judged: JudgedRecord, _ assertion: VerifiedAssertion) -> Verdict
    {
        var verdict = verdict(on: judged, .accepted, app: assertion.appID)
        verdict.signCount = assertion.signCount
        verdict.validationCategory = assertion.extensions.validationCategory
        verdict.bundleVersion = assertion.extensions.bundleVersion

        guard let keyID = judged.keyID, var key = keys[keyID] else {
            verdict.outcome = .rejected(.worker(.unknownKey))
            return verdict
        }
        verdict.environment = key.environment
        if let refusal = refusal(of: assertion, judged.subject, by: key) {
            verdict.outcome = .rejected(refusal)
            return verdict
        }
        key.signCount = assertion.signCount
        keys[keyID] = key
        writes.signCounts[keyID] = assertion.signCount
        registrations[keyID]?.key.signCount = assertion.signCount
        return verdict
    }

    /// Why the row doesn't take an assertion; nil if it does.
    private func refusal(
        of assertion: VerifiedAssertion, _ subject: String?, by stored: StoredKey
    ) -> Reason? {
        switch stored.status {
        case .erased: return .worker(.keyErased)
        case .revoked: return .worker(.keyRevoked)
        case .active: break
        }
        guard stored.appID == assertion.appID else { return .verification(.appIDMismatch) }
        guard stored.mayBeUsed(by: subject) else { return .worker(.subjectMismatch) }
        guard assertion.signCount > stored.signCount else {
            return .worker(.counterNotIncreasing)
        }
        return nil
    }

    private func isErased(_ keyID: KeyID?) -> Bool {
        keyID.flatMap { keys[$0] }?.status == .erased
    }

    private func verdict(
        on judged: JudgedRecord, _ outcome: Verdict.Outcome, app appID: String? = nil
    ) -> Verdict {
        var verdict = Verdict(
            verdictID: judged.identity.verdictID, outcome: outcome, source: judged.record.place)
        verdict.requestID = judged.requestID
        verdict.kind = judged.kind
        verdict.keyID = judged.keyID
        // The inbox must not learn again what was erased from it.
        verdict.subject = isErased(judged.keyID) ? nil : judged.subject
        verdict.appID = appID
        verdict.isSimulated = appID.map { policy.apps[$0]?.isSimulated ?? false } ?? false
        return verdict
    }
}

extension Verdict {
    /// What is counted of a verdict that is given for the first time.
    fileprivate var facts: VerdictFacts {
        let reason: Reason? =
            switch outcome {
            case .accepted: nil
            case .rejected(let reason): reason
            }
        return VerdictFacts(appID: appID, reason: reason, isSimulated: isSimulated)
    }
}

extension StoredKey {
    /// Whether a request that names this owner, or none, may use the key.
    fileprivate func mayBeUsed(by subject: String?) -> Bool {
        guard let owner = self.subject, let subject else { return true }
        // Byte by byte: two spellings of one accent are two owners.
        return owner.utf8.elementsEqual(subject.utf8)
    }
}
