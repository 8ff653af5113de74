import AppAttest
import Testing
import Wire

@testable import attest_worker

@Suite struct `The plan of a demo` {
    @Test func `has every kind of request, and as many as were asked for`() {
        let (plan, requests) = (SmallDemo.shared.plan.plan, SmallDemo.shared.requests)
        #expect(requests.count == 120)
        #expect(Set(requests.map(\.kind)) == Set(PlannedKind.allCases))
        #expect(requests.filter { $0.kind == .registration }.count == 6)
        #expect(plan.signCounts.count == 6)
    }

    @Test func `has every kind even when it is as short as it may be`() throws {
        let least = 1 + DemoOptions.requestsBesideRegistrationsMin
        let options = try DemoOptions(["--devices", "1", "--requests", "\(least)"])
        let requests = SmallDemo(devices: options.devices, requests: options.requests).requests
        #expect(requests.count == least)
        #expect(Set(requests.map(\.kind)) == Set(PlannedKind.allCases))
    }

    @Test func `follows from its seed`() {
        let seed: UInt64 = 3
        let requests = SmallDemo(requests: 40, seed: seed).requests
        #expect(SmallDemo(requests: 40, seed: seed).requests == requests)
        #expect(SmallDemo(requests: 40, seed: seed + 1).requests != requests)
    }

    @Test func `expects what the worker's own judgement and decision give`() throws {
        let demo = SmallDemo(devices: 9, requests: 400)
        var tally = Tally()
        for request in demo.requests { tally.sent(request, at: .zero) }
        for answer in try demo.answers() {
            tally.received(answer, at: .milliseconds(1))
        }
        #expect(tally.finalFailures() == [])
        #expect(tally.answeredCount == 400)
        #expect(tally.unansweredBytes == 0)
        #expect(tally.scores.values.allSatisfy { $0.sent == $0.right })
    }

    @Test func `uses each request id once, but where repetition is the point`() {
        let requests = SmallDemo.shared.requests
        let fresh = requests.filter { ![.repeated, .reusedRequestID].contains($0.kind) }
        #expect(Set(fresh.map(\.id)).count == fresh.count)
        let originals = Set(fresh.map(\.id))
        #expect(requests.allSatisfy { originals.contains($0.id) })
    }

    @Test func `never registers a stranger`() {
        let plan = SmallDemo.shared.plan.plan
        #expect(!plan.strangers.isEmpty)
        #expect(plan.strangers.isDisjoint(with: plan.signCounts.keys))
    }

    @Test(arguments: PlannedKind.allCases)
    func `tells in words what the expectation demands`(_ kind: PlannedKind) throws {
        let request = try #require(SmallDemo.shared.requests.first { $0.kind == kind })
        switch request.expectation {
        case .deadLetter: #expect(kind == .garbage)
        case .verdict(let expected): #expect(expected.outcome == kind.outcome)
        }
    }
}
