import AppAttest
import KafkaTransport
import PostgresStore
import Testing
import Wire
import Worker

@testable import attest_worker

@Suite struct ParsingTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", Int64(0)), ("2000-02-29T00:00:00Z", 951_782_400_000),
        ("2024-02-29T23:59:59Z", 1_709_251_199_000), ("2026-01-31T12:00:00Z", 1_769_860_800_000),
        ("2026-01-31T13:00:00+01:00", 1_769_860_800_000),
        ("2026-01-31T12:00:00.25Z", 1_769_860_800_250),
        ("2026-01-31T11:30:00.250-00:30", 1_769_860_800_250),
    ])
    func `a time of RFC 3339 is read to the millisecond`(text: String, milliseconds: Int64) {
        #expect(Instant(rfc3339: text) == Instant(milliseconds: milliseconds))
    }

    @Test(arguments: [
        "", "Z", "2026-01-31", "2026-01-31T12:00:00", "2026-01-31 12:00:00Z",
        "2026-13-31T12:00:00Z", "2026-01-31T12:00:00Zx", "2026-01-31T12:00:00ZZ",
        "2026-01-31T12:00:00Z+01:00", "2026-01-31T12:00:00+0100", "x2026-01-31T12:00:00Z",
        "1769860800", "2026-02-30T12:00:00Z", "2026-02-29T12:00:00Z", "2026-04-31T12:00:00Z",
        "2100-02-29T12:00:00Z", "2026-01-00T12:00:00Z", "2026-01-32T12:00:00Z",
    ])
    func `other texts are no time`(text: String) {
        #expect(Instant(rfc3339: text) == nil)
    }

    static let pem: String = {
        var lines = ["-----BEGIN CERTIFICATE-----"]
        var rest = Substring(Base64.encode(TrustAnchor.appleAppAttestRoot.der))
        while !rest.isEmpty {
            lines.append(String(rest.prefix(64)))
            rest = rest.dropFirst(64)
        }
        return (lines + ["-----END CERTIFICATE-----"]).joined(separator: "\n")
    }()

    @Test(arguments: [
        pem, pem + "\n", "Subject: a root\r\n" + pem.replacing("\n", with: "\r\n"),
    ])
    func `a root is read from PEM`(text: String) {
        #expect(TrustAnchor(pem: text) == .appleAppAttestRoot)
    }

    @Test(arguments: [
        "", "-----BEGIN CERTIFICATE-----", pem + "\n" + pem, String(pem.dropFirst(28)),
        pem.replacing("M", with: "*"), pem.replacing("CERTIFICATE", with: "PUBLIC KEY"),
    ])
    func `whatever is not one root in PEM is refused`(text: String) {
        #expect(TrustAnchor(pem: text) == nil)
    }

    @Test func `the defaults of the settings are the defaults of the parts`() {
        var kafka = Settings().kafka
        kafka.bootstrapServers = ["a:1"]
        #expect(
            KafkaSettings(kafka)
                == KafkaSettings(
                    bootstrapServers: "a:1", groupID: "attest-worker",
                    requestTopics: ["attest.requests.v1"]))
        let ours = PostgresSettings(Settings(), owner: "o")
        let theirs = PostgresSettings(conninfo: "", group: "attest-worker", owner: "o")
        #expect(ours.conninfo == theirs.conninfo)
        #expect(ours.group == theirs.group)
        #expect(ours.connectTimeoutSeconds == theirs.connectTimeoutSeconds)
        #expect(ours.lockTimeoutMilliseconds == theirs.lockTimeoutMilliseconds)
        #expect(ours.statementTimeoutMilliseconds == theirs.statementTimeoutMilliseconds)
        #expect(ours.replyTimeoutMilliseconds == theirs.replyTimeoutMilliseconds)
        #expect(ours.inboxRetentionDays == theirs.inboxRetentionDays)
        #expect(ours.allowsAsynchronousCommit == theirs.allowsAsynchronousCommit)
        #expect(ours.isPooled == theirs.isPooled)
    }

    @Test func `each lane is a client and a static member of its own`() {
        var kafka = Settings().kafka
        kafka.groupInstanceID = "pod-7"
        let lanes = [0, 1].map { KafkaSettings(kafka, lane: $0) }
        #expect(lanes.map(\.clientID) == ["attest-worker-0", "attest-worker-1"])
        #expect(lanes.map(\.groupInstanceID) == ["pod-7-0", "pod-7-1"])
    }
}
