import Wire

// Copies of verdicts for the gateways that ask for them. They go out beside the verdicts, in the
// same round; but a verdict is awaited for as long as it takes, and a copy only for a moment.

/// What became of a copy.
enum ReplyResult: String, CaseIterable {
    /// Delivered.
    case sent
    /// The request names another topic than the settings, or none.
    case wrongTopic = "wrong_topic"
    /// The request names no partition.
    case badPartition = "bad_partition"
    /// It can't be delivered: there is no such partition, or the broker does not take it.
    case refused
    /// It was not delivered in time; it may be yet.
    case late
    /// Not sent, as one before it to that partition is still on its way.
    case skipped

    init(_ flaw: ReplyAddress.Flaw) {
        switch flaw {
        case .wrongTopic: self = .wrongTopic
        case .badPartition: self = .badPartition
        }
    }
}

/// Copies that nobody waits for any more and that the producer still holds.
///
/// While there are some, their partition gets no others: a partition without a leader would else
/// fill the producer's queue with copies until no verdict finds room.
struct LateReplies: Hashable {
    private var partitions: [UInt64: Int32] = [:]
    private var counts: [Int32: Int] = [:]

    /// Whether a partition has copies that are still on their way.
    func has(_ partition: Int32) -> Bool {
        counts[partition] != nil
    }

    /// Nobody waits for this one any more.
    mutating func add(_ ticket: UInt64, to partition: Int32) {
        guard partitions.updateValue(partition, forKey: ticket) == nil else { return }
        counts[partition, default: 0] += 1
    }

    /// The producer told of a record what became of it: it holds it no longer.
    mutating func remove(_ ticket: UInt64) {
        guard let partition = partitions.removeValue(forKey: ticket),
            let count = counts[partition]
        else { return }
        counts[partition] = count > 1 ? count - 1 : nil
    }

    /// The producer may have been made anew: then it tells of none of them.
    mutating func removeAll() {
        self = LateReplies()
    }
}

extension Lane {
    /// The copy of a verdict that its request asks for; nil where it asks for none, or in vain.
    func replyCopy(of verdict: OutgoingRecord, to request: Record) -> OutgoingRecord? {
        guard let topic = settings.replyTopic,
            let address = ReplyAddress(request.headers, topic: topic)
        else { return nil }
        switch address {
        case .unusable(let flaw):
            noteReply(ReplyResult(flaw), code: flaw.rawValue, partition: nil)
            return nil
        case .partition(let partition):
            guard !lateReplies.has(partition) else {
                noteReply(.skipped, code: "still_on_its_way", partition: partition)
                return nil
            }
            return OutgoingRecord(
                topic: topic, key: verdict.key, value: verdict.value, headers: verdict.headers,
                partition: partition)
        }
    }

    /// A copy is done with, one way or the other: only what is told differs.
    func noteReply(_ copy: OutgoingRecord, _ result: DeliveryReport.Result) {
        switch result {
        case .delivered:
            observer.replied(.sent)
        case .refused(let code), .forbidden(let code), .failed(let code):
            noteReply(.refused, code: code, partition: copy.partition)
        }
    }

    /// A copy is lost, or may be; its verdict is on the verdict topic all the same.
    func noteReply(_ result: ReplyResult, code: String, partition: Int32?) {
        observer.replied(result)
        log(
            .warning, "reply_lost",
            "a gateway does not get its copy of a verdict; the verdict topic has it",
            [
                "error_code": LogValue(code),
                "reply_partition": LogValue(partition.map(String.init) ?? ""),
            ])
    }

    /// Waits no longer for copies once all verdicts are delivered and a moment has passed.
    ///
    /// - Parameters:
    ///   - unreported: what is on its way; copies are taken out.
    ///   - since: when the last verdict was delivered; nil before.
    func giveUpReplies(
        in unreported: inout [UInt64: Unreported], since: inout Duration?
    ) {
        guard !unreported.isEmpty, unreported.values.allSatisfy(\.isCopy) else { return }
        let now = clock.monotonic()
        let start = since ?? now
        since = start
        guard now - start >= settings.limits.replyWait else { return }
        for (ticket, copy) in unreported {
            guard let partition = copy.record.partition else { continue }
            lateReplies.add(ticket, to: partition)
            noteReply(.late, code: "not_delivered_in_time", partition: partition)
        }
        unreported.removeAll()
    }
}
