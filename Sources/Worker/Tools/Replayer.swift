package import Wire

/// Finds the verdicts that were given to records, to be published once more.
///
/// It decides nothing: what the inbox does not have, it leaves alone.
package struct Replayer<Store: KeyStore> {
    /// What there is to say to a record.
    package enum Finding: Hashable, Sendable {
        /// Its verdict, byte for byte as it was published, marked as a repetition.
        case verdict(OutgoingRecord)
        /// The inbox does not know it: it was never decided, or has been pruned.
        case notDecided
        /// Its request id was used before for other content, which was its verdict.
        case conflict
        /// It holds no request: it became a dead letter.
        case unreadable
    }

    private let store: Store
    private let verdictTopic: String
    private let groupID: String
    private let messageLimits: MessageLimits

    /// A replayer for one group.
    ///
    /// - Parameters:
    ///   - store: the database with the inbox.
    ///   - verdictTopic: where verdicts go.
    ///   - groupID: whose verdicts they are; it is part of their headers.
    ///   - messageLimits: as the workers have them, since what they could not read has no verdict.
    package init(
        store: Store, verdictTopic: String, groupID: String, messageLimits: MessageLimits
    ) {
        self.store = store
        self.verdictTopic = verdictTopic
        self.groupID = groupID
        self.messageLimits = messageLimits
    }

    /// Looks records up.
    ///
    /// - Parameter records: at most a batch of them.
    /// - Returns: a finding for each, in their order.
    /// - Throws: `.retry` when the server is away.
    package func find(_ records: [Record]) throws(Fault) -> [Finding] {
        let requests = records.map { ($0, identified($0)) }
        let inbox = try store.decided(Set(requests.compactMap { $0.1?.identity }))
        return requests.map { record, request in
            guard let request else { return .unreadable }
            guard let entry = inbox[request.identity] else { return .notDecided }
            guard entry.contentDigest == request.contentDigest else { return .conflict }
            let message = VerdictMessage.record(
                verdict: entry.verdict, verdictID: request.identity.verdictID,
                keyID: request.keyID, requestHeaders: record.headers,
                trace: RequestTrace(
                    headers: record.headers, value: record.value, limits: messageLimits),
                isRedelivered: true, consumerGroup: groupID)
            return .verdict(
                OutgoingRecord(
                    topic: verdictTopic, key: message.key, value: message.value,
                    headers: message.headers))
        }
    }

    private func identified(_ record: Record) -> IdentifiedRequest? {
        IdentifiedRequest(
            RequestMessage.decode(
                value: record.value, headers: record.headers, limits: messageLimits), in: record)
    }
}
