import AppAttest
import AttestTestKit
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
            + #""receipt":"valid","#
            + #""requestId":"req-7f3a","signCount":0,"#
            + #""source":{"offset":41,"partition":3,"topic":"attest.requests.v1"},"#
            + #""subject":"user-42","type":"registration","validationCategory":4,"#
            + #""verdictId":"\#(VerdictSamples.id.text)"}"#
        let bytes = VerdictSamples.fullRegistration.encode()
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test func `what would be rejected is a list of codes behind all other fields`() {
        let text = String(decoding: VerdictSamples.reported.encode(), as: UTF8.self)
        let end = #","wouldReject":["key_already_registered","acl_mismatch"]}"#
        #expect(text.hasSuffix(end))
    }

    @Test func `a known risk is told with the time of its receipt, in whole seconds`() {
        let text = String(decoding: VerdictSamples.risky.encode(), as: UTF8.self)
        #expect(text.contains(#","risk":{"asOf":"2026-09-21T14:13:20Z","metric":3},"signCount":"#))
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
        let read = try ReceivedVerdict(parsing: bytes)
        expect(read, toTell: verdict)
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
            let read = try ReceivedVerdict(parsing: verdict.encode())
            expect(read, toTell: verdict, seed: seed)
            #expect(read.subject?.unicodeScalars.elementsEqual(text) == true, "seed \(seed)")
        }
    }

    @Test func `different verdicts have different bytes`() {
        #expect(Set(VerdictSamples.all.map { $0.encode() }).count == VerdictSamples.all.count)
    }
}

extension VerdictTests {
    /// Holds what a reader sees against the verdict.
    private func expect(_ read: ReceivedVerdict, toTell verdict: Verdict, seed: UInt64? = nil) {
        let note = seed.map { "seed \($0)" } ?? ""
        let told: (String, String?, Bool?) =
            switch verdict.outcome {
            case .accepted: ("accepted", nil, nil)
            case .rejected(let why): ("rejected", why.code, why.isRetryable)
            }
        #expect((read.outcome, read.reason, read.retryable) == told, "\(note)")
        let reports = verdict.wouldReject.map(\.code)
        #expect((read.wouldReject ?? []) == reports, "\(note)")
        #expect(read.verdictId == verdict.verdictID.text, "\(note)")
        #expect(read.requestId == verdict.requestID?.text, "\(note)")
        #expect(read.type == verdict.kind?.rawValue, "\(note)")
        #expect(read.keyId == verdict.keyID?.text, "\(note)")
        #expect(read.appId == verdict.appID, "\(note)")
        #expect(read.environment == verdict.environment?.rawValue, "\(note)")
        #expect(read.signCount == verdict.signCount, "\(note)")
        #expect(read.simulated == (verdict.isSimulated ? true : nil), "\(note)")
        #expect(read.reattested == verdict.reattested, "\(note)")
        #expect(read.receipt == verdict.receipt?.name, "\(note)")
        #expect(read.receiptReason == verdict.receipt?.reason?.rawValue, "\(note)")
        #expect(read.validationCategory == verdict.validationCategory, "\(note)")
        #expect(read.bundleVersion == verdict.bundleVersion, "\(note)")
        #expect(read.cdHash == verdict.cdHash, "\(note)")
        #expect(read.extensionsAnnounced == verdict.areExtensionsAnnounced, "\(note)")
        #expect(read.action == verdict.outcome.reason?.action, "\(note)")
        let token = verdict.token?.text
        let registrationToken = verdict.kind == .registration ? token : nil
        #expect(read.appCheckToken?.token == registrationToken, "\(note)")
        #expect(read.token == (registrationToken == nil ? token : nil), "\(note)")
        #expect(read.alreadyConsumed == (verdict.isConsumedBefore == true ? true : nil), "\(note)")
        let ttl = verdict.lifetime.map(ProtobufDuration.text)
        #expect((read.appCheckToken?.ttl ?? read.ttl) == ttl, "\(note)")
        #expect(read.platform == verdict.platform, "\(note)")
        #expect(read.osVersion == verdict.osVersion, "\(note)")
        #expect(read.subject == verdict.subject, "\(note)")
        #expect(read.risk?.metric == verdict.risk?.metric, "\(note)")
        #expect(read.source.topic == verdict.source.topic, "\(note)")
        #expect(read.source.partition == verdict.source.partition, "\(note)")
        #expect(read.source.offset == verdict.source.offset, "\(note)")
    }
}
