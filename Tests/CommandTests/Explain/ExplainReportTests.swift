import AppAttest
import LibCrypto
import Testing
import Wire
import Worker

@testable import attest_worker

/// What is told of requests that have no object.
@Suite struct ExplainReportTests {
    private func why(_ adjust: (inout Verdict) -> Void) throws -> [String] {
        let id = try #require(RequestID("one"))
        let identity = RequestIdentity(
            requestID: id, place: RecordPlace(topic: "", partition: 0, offset: 0),
            timestampMilliseconds: nil)
        var verdict = Verdict(
            verdictID: identity.verdictID, outcome: .accepted,
            source: RecordPlace(topic: "requests", partition: 3, offset: 7))
        verdict.appID = "TEAM.app"
        adjust(&verdict)
        let entry = InboxEntry(
            identity: identity, contentDigest: SHA256.hash([5]), verdict: verdict.encode())
        return try #require(ExplainReport(id, inbox: entry, audit: [])).why
    }

    @Test func `a challenge and a token are told as what they are`() throws {
        #expect(try why { $0.kind = .challenge } == ["A challenge was minted for the app."])
        let first = try why {
            $0.kind = .consume
            $0.isConsumedBefore = false
        }
        #expect(first == ["The token was one of ours, in time, and consumed by this request."])
        let again = try why {
            $0.kind = .consume
            $0.isConsumedBefore = true
        }
        #expect(
            again == ["The token was one of ours, in time, and consumed by an earlier request."])
    }

    @Test func `no token is told`() throws {
        let told = try why {
            $0.kind = .assertion
            $0.token = IssuedToken("eyJ.secret.secret", isForLimitedUse: true)
        }
        #expect(told == ["The signature is the registered key's, and its sign count was new."])
    }
}
