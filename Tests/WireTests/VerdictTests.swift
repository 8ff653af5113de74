import AppAttest
import FoundationEssentials
import SeededNumbers
import Testing
import Wire

@Suite struct VerdictTests {
    @Test func `a verdict with all fields has exactly these bytes`() {
        let keyID = Sample.keyID.text
        let expected =
            #"{"appId":"TEAMID1234.com.example.app","bundleVersion":"7.1.0","#
            + #""environment":"production","keyId":"\#(keyID)","osVersion":"27.0","#
            + #""outcome":"accepted","platform":"iphoneos","reattested":false,"#
            + #""requestId":"req-7f3a","signCount":0,"#
            + #""source":{"offset":41,"partition":3,"topic":"attest.requests.v1"},"#
            + #""subject":"user-42","type":"registration","validationCategory":4,"#
            + #""verdictId":"\#(VerdictSamples.id.text)"}"#
        let bytes = VerdictSamples.fullRegistration.encode()
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test func `what is not known is absent`() {
        let expected =
            #"{"outcome":"rejected","reason":"malformed_message","retryable":false,"#
            + #""source":{"offset":41,"partition":3,"topic":"attest.requests.v1"},"#
            + #""verdictId":"\#(VerdictSamples.id.text)"}"#
        #expect(String(decoding: VerdictSamples.bare.encode(), as: UTF8.self) == expected)
    }

    @Test(arguments: VerdictSamples.all)
    func `names are sorted and Foundation reads the same fields`(verdict: Verdict) throws {
        let bytes = verdict.encode()
        let read = try JSONDecoder().decode(ReadVerdict.self, from: Data(bytes))
        #expect(read == ReadVerdict(verdict))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let again = try encoder.encode(read)
        #expect(Array(again) == bytes)
    }

    @Test func `any text is escaped so that Foundation reads it back`() throws {
        let seed: UInt64 = 11
        var generator = SplitMix64(seed: seed)
        let odd: [Unicode.Scalar] = [
            "\"", "\\", "/", "\0", "\n", "\u{1F}", "\u{7F}", "\u{85}", "\u{2028}", "\u{FEFF}",
            "\u{FFFF}", "\u{10FFFF}", "é", "☃", "👩", "\u{200D}",
        ]
        for _ in 0..<1000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...20, using: &generator) {
                let any = Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &generator))
                text.append(
                    Bool.random(using: &generator)
                        ? any ?? "x" : odd.randomElement(using: &generator) ?? "x")
            }
            var verdict = VerdictSamples.bare
            verdict.subject = String(text)
            verdict.appID = String(text)
            let read = try JSONDecoder().decode(ReadVerdict.self, from: Data(verdict.encode()))
            #expect(read == ReadVerdict(verdict), "seed \(seed)")
            #expect(read.subject?.unicodeScalars.elementsEqual(text) == true, "seed \(seed)")
        }
    }

    @Test func `different verdicts have different bytes`() {
        #expect(Set(VerdictSamples.all.map { $0.encode() }).count == VerdictSamples.all.count)
    }
}

/// A verdict as a consumer would declare it.
private struct ReadVerdict: Codable, Equatable {
    struct Source: Codable, Equatable {
        let topic: String
        let partition: Int32
        let offset: Int64
    }

    let verdictId: String
    let requestId: String?
    let type: String?
    let outcome: String
    let reason: String?
    let retryable: Bool?
    let keyId: String?
    let appId: String?
    let environment: String?
    let signCount: UInt32?
    let simulated: Bool?
    let reattested: Bool?
    let validationCategory: UInt32?
    let bundleVersion: String?
    let platform: String?
    let osVersion: String?
    let subject: String?
    let source: Source

    init(_ verdict: Verdict) {
        verdictId = verdict.verdictID.text
        requestId = verdict.requestID?.text
        type = verdict.kind?.rawValue
        switch verdict.outcome {
        case .accepted: (outcome, reason, retryable) = ("accepted", nil, nil)
        case .rejected(let why):
            (outcome, reason, retryable) = ("rejected", why.code, why.isRetryable)
        }
        keyId = verdict.keyID?.text
        appId = verdict.appID
        environment = verdict.environment?.rawValue
        signCount = verdict.signCount
        simulated = verdict.isSimulated ? true : nil
        reattested = verdict.reattested
        validationCategory = verdict.validationCategory
        bundleVersion = verdict.bundleVersion
        platform = verdict.platform
        osVersion = verdict.osVersion
        subject = verdict.subject
        source = Source(
            topic: verdict.source.topic, partition: verdict.source.partition,
            offset: verdict.source.offset)
    }
}
