import AppAttest
import Foundation
import LibCrypto
import SeededNumbers
import Testing
import Wire

/// Our reading of JSON against Foundation's, over messages changed at random.
@Suite struct JSONDifferentialTests {
    private static let seed: UInt64 = 42

    /// The fields of a plain registration, as Foundation reads them.
    private struct Fields: Decodable {
        let keyId: String
        let attestation: String
        let clientData: String?
        let requestId: String?
        let subject: String?
    }

    @Test func `what we take for an object, Foundation takes for the same object`() throws {
        var generator = SplitMix64(seed: Self.seed)
        let start = Sample.plainRegistration.with("requestId", #""a\u0062""#)
            .with("subject", #""\"☃\" \ud83d\ude00""#).with("x", #"[1.5e-3,{"y":null},"\\"]"#)
        var tally = (requests: 0, refusals: 0, unreadable: 0)
        for round in 0..<6000 {
            let bytes = changed(Array(start.json.utf8), by: &generator)
            let data = Data(bytes)
            switch RequestMessage.decode(value: bytes, headers: [], limits: MessageLimits()) {
            case .request(let request):
                tally.requests += 1
                let fields = try JSONDecoder().decode(Fields.self, from: data)
                #expect(Base64.decode(fields.keyId) == request.keyID.digest.bytes, "\(round)")
                #expect(Base64.decode(fields.attestation) == request.object, "\(round)")
                #expect(fields.requestId == request.requestID?.text, "\(round)")
                #expect(fields.subject == request.subject, "\(round)")
            case .service:
                Issue.record("no change makes it a request of another kind")
            case .unjudgeable(let refusal):
                tally.refusals += 1
                // Half a surrogate pair is JSON by its grammar, but Foundation refuses it.
                guard !refusal.detail.contains("surrogate") else { continue }
                #expect(try JSONSerialization.jsonObject(with: data) is [String: Any], "\(round)")
            case .unreadable:
                tally.unreadable += 1
            }
        }
        #expect(min(tally.requests, tally.refusals, tally.unreadable) > 300, "\(tally)")
    }

    /// One to three small changes: a byte replaced, inserted or removed, or a stretch repeated.
    private func changed(_ bytes: [UInt8], by generator: inout SplitMix64) -> [UInt8] {
        let pieces =
            Array(#"{}[]",:\/ubtrue01.eE+-AQ= "#.utf8) + [0x00, 0x0A, 0x1F, 0x7F, 0xC3, 0xED]
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let position = Int.random(in: 0..<bytes.count, using: &generator)
            let piece = pieces[Int.random(in: 0..<pieces.count, using: &generator)]
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes[position] = piece
            case 1: bytes.insert(piece, at: position)
            case 2: bytes.remove(at: position)
            case 3: bytes.insert(contentsOf: [0x20, 0x0A], at: position)
            default:
                let end = min(bytes.count, position + Int.random(in: 1...40, using: &generator))
                bytes.insert(contentsOf: bytes[position..<end], at: end)
            }
        }
        return bytes
    }
}
