import AppAttest
import LibCrypto
import Testing
import Wire

@Suite struct TopicVerdictTests {
    private let keyID = KeyID(SHA256.hash([1]))
    private static let keyText = Base64.encode(SHA256.hash([1]).bytes)

    private func verdict(_ outcome: Verdict.Outcome) -> Verdict {
        Verdict(
            verdictID: VerdictID(SHA256.hash([2])), outcome: outcome,
            source: RecordPlace(topic: "requests", partition: 0, offset: 7))
    }

    @Test(arguments: [0, 1, UInt32.max])
    func `an accepted verdict tells key and sign count as they were encoded`(count: UInt32) {
        var accepted = verdict(.accepted)
        accepted.kind = .assertion
        accepted.keyID = keyID
        accepted.signCount = count
        #expect(
            TopicVerdict(value: accepted.encode())
                == .accepted(keyID, signCount: count, source: accepted.source))
    }

    @Test func `a rejected verdict raises nothing, whatever sign count it names`() {
        var rejected = verdict(.rejected(.worker(.counterNotIncreasing)))
        rejected.keyID = keyID
        rejected.signCount = 9
        #expect(TopicVerdict(value: rejected.encode()) == .rejected)
    }

    @Test func `a challenge that was handed out raises nothing`() {
        var challenge = verdict(.accepted)
        challenge.kind = .challenge
        challenge.challenge = [1]
        challenge.lifetime = .seconds(300)
        #expect(TopicVerdict(value: challenge.encode()) == .rejected)
    }

    @Test(
        arguments: [
            nil, "", "{", "[]", "{}", #"{"outcome":"accepted"}"#,
            #"{"outcome":"accepted","keyId":"AAAA","signCount":1}"#,
            #"{"outcome":"perhaps","keyId":"\#(keyText)","signCount":1}"#,
            #"{"outcome":"accepted","keyId":"\#(keyText)","signCount":-1}"#,
            #"{"outcome":"accepted","keyId":"\#(keyText)","signCount":4294967296}"#,
        ] as [String?])
    func `what is no verdict tells nothing`(text: String?) {
        #expect(TopicVerdict(value: text.map { Array($0.utf8) }) == .unreadable)
    }

    @Test func `a record larger than any verdict is not read`() {
        let padding = String(repeating: " ", count: TopicVerdict.valueBytesMax)
        #expect(
            TopicVerdict(value: Array((#"{"outcome":"rejected"}"# + padding).utf8)) == .unreadable)
    }
}
