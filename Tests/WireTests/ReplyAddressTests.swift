import SeededNumbers
import Testing
import Wire

/// Where a gateway wants its copy.
@Suite struct ReplyAddressTests {
    private func address(_ headers: [(String, String?)]) -> ReplyAddress? {
        ReplyAddress(
            headers.map { Header(name: $0.0, value: $0.1.map { Array($0.utf8) }) },
            topic: "replies")
    }

    @Test func `what a gateway writes is what a worker reads`() {
        for partition in [0, 7, .max] as [Int32] {
            let headers = ReplyAddress.headers(topic: "replies", partition: partition)
            #expect(ReplyAddress(headers, topic: "replies") == .partition(partition))
        }
    }

    @Test func `without the headers nothing is asked for`() {
        #expect(address([]) == nil)
        #expect(address([("traceparent", "x"), ("Attest-Reply-Topic", "replies")]) == nil)
    }

    @Test(arguments: [nil, "", "verdicts", "replies ", "Replies", "replies\u{301}"])
    func `another topic is never written to`(topic: String?) {
        let headers = [("attest-reply-topic", topic), ("attest-reply-partition", "0")]
        #expect(address(headers) == .unusable(.wrongTopic))
    }

    @Test(
        arguments: [
            nil, "", "-1", "+1", "1.0", "0x1", " 1", "1 ", "2147483648", "١",
            "99999999999999999999",
        ])
    func `what is no partition is told as such`(partition: String?) {
        let headers = [("attest-reply-topic", "replies"), ("attest-reply-partition", partition)]
        #expect(address(headers) == .unusable(.badPartition))
    }

    @Test func `of two that differ neither is taken`() {
        let topic = ("attest-reply-topic", Optional("replies"))
        #expect(
            address([topic, ("attest-reply-partition", "1"), ("attest-reply-partition", "2")])
                == .unusable(.badPartition))
        #expect(
            address([topic, ("attest-reply-topic", "verdicts"), ("attest-reply-partition", "1")])
                == .unusable(.wrongTopic))
        #expect(
            address([topic, ("attest-reply-partition", "1"), ("attest-reply-partition", "1")])
                == .partition(1))
    }

    @Test func `no bytes of a header are a trap`() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<1000 {
            let bytes = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                UInt8.random(in: .min ... .max, using: &random)
            }
            let headers = [
                Header(name: ReplyAddress.topicHeader, text: "replies"),
                Header(name: ReplyAddress.partitionHeader, value: bytes),
            ]
            let address = ReplyAddress(headers, topic: "replies")
            if case .partition(let partition) = address { #expect(partition >= 0) }
            #expect(address != nil)
        }
    }
}
