import AttestTestKit
import Harness
import Testing

@testable import Soak

/// What the soak sends follows from its seed, and meets what it should.
@Suite struct SoakTrafficTests {
    private func requests(
        seed: UInt64, _ count: Int, hasWindow: Bool = false
    ) -> [PlannedRequest] {
        var traffic = SoakTraffic(
            seed: seed, partitions: 6, hasWindow: hasWindow, authority: TestAuthority(seed: 1))
        var answered: Set<String> = []
        var requests: [PlannedRequest] = []
        while requests.count < count {
            let new = traffic.next() + traffic.released(answered.contains)
            answered.formUnion(new.compactMap(\.requestID))
            requests += new
        }
        return requests
    }

    @Test func `one seed is one sequence of requests, another another`() {
        func outline(_ seed: UInt64) -> [String] {
            requests(seed: seed, 200).map {
                "\($0.requestID ?? "none") \($0.keyID) \($0.expectation) "
                    + "\($0.record.partition.map(String.init) ?? "")"
            }
        }
        #expect(outline(5) == outline(5))
        #expect(outline(5) != outline(6))
    }

    @Test func `five minutes of it hold every kind of request, and one key is a quarter of it`() {
        let requests = requests(seed: 7, 1500)
        let expectations = Set(requests.map(\.expectation.description))
        #expect(
            expectations == [
                "accepted", "accepted as new", "accepted, known before", "counter_not_increasing",
                "signature_invalid", "unknown_key", "request_id_conflict", "malformed_message",
                "dead letter not_a_json_object",
            ])
        let ids = Dictionary(grouping: requests.filter { $0.requestID != nil }) { $0.requestID }
        #expect(ids.values.contains { $0.count > 1 })
        #expect(ids.values.contains { Set($0.map(\.record.partition)).count > 1 })
        #expect(ids.values.contains { Set($0.compactMap(\.record.timestamp)).count > 1 })
        let busiest = Dictionary(grouping: requests, by: \.keyID).values.map(\.count).max() ?? 0
        #expect(busiest > 200)
    }

    @Test func `with a replay window some requests are overtaken, and old ones are replays`() {
        let requests = requests(seed: 7, 1500, hasWindow: true)
        let counts = Dictionary(grouping: requests.filter { $0.acceptedSignCount != nil }) {
            $0.keyID
        }.values.map { $0.compactMap(\.acceptedSignCount) }
        #expect(counts.contains { zip($0, $0.dropFirst()).contains { $0 == $1 + 1 } })
        let reasons = Set(requests.map(\.expectation.description))
        #expect(reasons.contains("counter_replayed"))
        #expect(!reasons.contains("counter_not_increasing"))
    }

    /// Two devices with one key would each be told what the other one did.
    @Test func `no two devices share a key`() {
        let registrations = requests(seed: 3, 1500).filter {
            $0.expectation == .accepted(reattested: false)
        }
        let keys = Dictionary(grouping: registrations, by: \.keyID).values
        #expect(keys.allSatisfy { Set($0.map(\.requestID)).count == 1 })
    }

    @Test func `the command line is read, and what is wrong with it told`() throws {
        let options = try SoakOptions([
            "--minutes", "60", "--seed", "9", "--faults", "kill,lost-acks", "--rate", "30",
            "--window", "8",
        ])
        #expect(
            options.minutes == 60 && options.seed == 9 && options.rate == 30 && options.window == 8)
        #expect(options.faults == [.kill, .lostAcks])
        for wrong in [
            ["--minutes"], ["--minutes", "0"], ["--faults", "flood"], ["--colour", "1"],
        ] {
            #expect(throws: HarnessFailure.self) { _ = try SoakOptions(wrong) }
        }
    }
}
