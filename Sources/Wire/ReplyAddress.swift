/// Where a request's gateway wants a copy of the verdict: a partition of the reply topic.
///
/// Gateways that share one verdict topic would each have to read all of it. With two headers a
/// gateway has its answers sent to a partition that it alone reads.
package enum ReplyAddress: Hashable, Sendable {
    /// This partition of the reply topic.
    case partition(Int32)
    /// The headers ask for a copy that can't be sent.
    case unusable(Flaw)

    /// What is wrong with the headers.
    package enum Flaw: String, Hashable, Sendable, CaseIterable {
        /// There is no topic named, or not the one that is configured.
        case wrongTopic = "wrong_topic"
        /// There is no partition named, two that differ, or something that is no number.
        case badPartition = "bad_partition"
    }

    /// The header that names the topic; it must be the configured one.
    package static let topicHeader = "attest-reply-topic"
    /// The header that tells the partition, as a decimal number.
    package static let partitionHeader = "attest-reply-partition"

    /// Reads a request's headers; nil where neither of the two is there.
    ///
    /// Whoever may write requests could else have verdicts sent to any topic: so the topic's name
    /// is compared, and only the settings' own is ever written to.
    ///
    /// - Parameters:
    ///   - headers: those of the request's record.
    ///   - topic: the reply topic of the settings.
    package init?(_ headers: [Header], topic: String) {
        let isAsked = headers.contains { header in
            header.name.utf8.elementsEqual(Self.topicHeader.utf8)
                || header.name.utf8.elementsEqual(Self.partitionHeader.utf8)
        }
        guard isAsked else { return nil }
        let named = headers.onlyText(named: Self.topicHeader)
        guard named?.utf8.elementsEqual(topic.utf8) ?? false else {
            self = .unusable(.wrongTopic)
            return
        }
        let text = headers.onlyText(named: Self.partitionHeader) ?? ""
        // Int32 takes a sign as well, which no partition has.
        guard text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
            let partition = Int32(text)
        else {
            self = .unusable(.badPartition)
            return
        }
        self = .partition(partition)
    }

    /// The headers of a request whose verdict shall be copied.
    package static func headers(topic: String, partition: Int32) -> [Header] {
        [
            Header(name: topicHeader, text: topic),
            Header(name: partitionHeader, text: String(partition)),
        ]
    }
}
