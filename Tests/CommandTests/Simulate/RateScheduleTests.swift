import AppAttest
import AttestTestKit
import SeededNumbers
import Testing
import Wire
import Worker

@testable import attest_worker

@Suite struct `The schedule of a simulation` {
    private static let start = ContinuousClock.now

    private func schedule(
        _ change: (inout SimulateOptions) -> Void, stop: StopSignal = StopSignal()
    ) -> RateSchedule {
        var options = SimulateOptions()
        options.rate = 10
        options.duration = .seconds(10)
        options.devices = 3
        change(&options)
        let plan = RequestPlan(
            PlanSettings(
                appID: "T.b", authority: TestAuthority(seed: 1), seed: 1, idPrefix: "sim-x-"),
            now: WorkerInMemory.now)
        return RateSchedule(plan, options, stop: stop) { WorkerInMemory.now }
    }

    /// What is handed out by a moment, and whether that is the end.
    private func requests(
        of schedule: inout RateSchedule, at time: Duration
    ) -> (requests: [PlannedRequest], isDone: Bool) {
        var requests: [PlannedRequest] = []
        // Its time begins when it is first asked.
        for moment in [Self.start, Self.start + time] {
            asking: while true {
                switch schedule.next(at: moment) {
                case .send(let request): requests.append(request)
                case .later: break asking
                case .done: return (requests, true)
                }
            }
        }
        return (requests, false)
    }

    @Test func `hands out as many as are due, and those late that could not be sent`() {
        var schedule = schedule { _ in }
        #expect(requests(of: &schedule, at: .zero).requests.count == 1)
        #expect(requests(of: &schedule, at: .milliseconds(99)).requests.isEmpty)
        #expect(requests(of: &schedule, at: .milliseconds(100)).requests.count == 1)
        #expect(requests(of: &schedule, at: .seconds(2)).requests.count == 19)
        #expect(!requests(of: &schedule, at: .milliseconds(9999)).isDone)
        #expect(requests(of: &schedule, at: .seconds(10)).isDone)
        #expect(schedule.handedOut == 100)
    }

    @Test(arguments: [WorkerReason.counterNotIncreasing, .counterReplayed])
    func `a replay is refused for the reason that the app's policy has`(
        reason: WorkerReason
    ) throws {
        var settings = PlanSettings(
            appID: "T.b", authority: TestAuthority(seed: 1), seed: 1, idPrefix: "sim-x-")
        settings.replayReason = reason
        var plan = RequestPlan(settings, now: WorkerInMemory.now)
        _ = plan.request(.registration)
        _ = plan.request(.assertion)
        guard case .verdict(let expected) = plan.request(.replay).expectation else {
            throw Fault(
                operation: "plan", code: "test", disposition: .retry, message: "no verdict")
        }
        #expect(expected.outcome == .rejected(.worker(reason)))
    }

    @Test func `registers every device, each once, and asserts in between`() {
        var schedule = schedule { $0.lies = LieMix("none") }
        let kinds = requests(of: &schedule, at: .seconds(5)).requests.map(\.kind)
        #expect(
            kinds.prefix(6) == [
                .registration, .assertion, .registration, .assertion, .registration, .assertion,
            ])
        #expect(kinds.dropFirst(6).allSatisfy { $0 == .assertion })
        #expect(schedule.plan.signCounts.count == 3)
    }

    @Test func `lies as often as it is asked to`() {
        var schedule = schedule {
            $0.rate = 100
            $0.lies = LieMix("replay=20%,forged=10%")
        }
        let kinds = requests(of: &schedule, at: .milliseconds(9999)).requests.map(\.kind)
        #expect(kinds.count == 1000)
        // Six standard deviations of a binomial with 1,000 draws; the seed is fixed besides.
        #expect((125...275).contains(kinds.count { $0 == .replay }))
        #expect((44...156).contains(kinds.count { $0 == .forgedSignature }))
    }

    @Test func `ends at once when asked`() {
        let stop = StopSignal()
        var schedule = schedule({ _ in }, stop: stop)
        #expect(!requests(of: &schedule, at: .seconds(1)).isDone)
        stop.request()
        let rest = requests(of: &schedule, at: .seconds(2))
        #expect(rest.isDone)
        #expect(rest.requests.isEmpty)
    }

    @Test(arguments: PlannedKind.byFlag.keys.sorted())
    func `each lie gets what the worker's own judgement and decision give`(name: String) throws {
        var schedule = schedule {
            $0.rate = 12
            $0.lies = LieMix("\(name)=50%")
        }
        let all = requests(of: &schedule, at: .milliseconds(3999)).requests
        let kind = try #require(PlannedKind.byFlag[name])
        #expect(all.contains { $0.kind == kind })
        var tally = Tally(idPrefix: "sim-x-", rememberedMax: 5)
        for (request, answer) in zip(
            all, try WorkerInMemory.answers(to: all, of: schedule.plan, appID: "T.b"))
        {
            tally.sent(request, at: .zero)
            tally.received(answer, at: .milliseconds(1))
        }
        #expect(tally.finalFailures() == [])
        #expect(tally.unansweredCount == 0)
    }
}

@Suite struct `Devices are chosen` {
    private func counts(skew: Double) -> [Int] {
        var chooser = DeviceChooser(skew: skew)
        for _ in 0..<10 { chooser.add() }
        var random = SplitMix64(seed: 4)
        var counts = [Int](repeating: 0, count: 10)
        for _ in 0..<10_000 {
            if let index = chooser.choose(&random) { counts[index] += 1 }
        }
        return counts
    }

    @Test func `evenly without a skew`() {
        #expect(counts(skew: 0).allSatisfy { (820...1180).contains($0) })
    }

    @Test func `by Zipf's law with one`() {
        // Of ten devices the first weighs 1 in 2.929.
        let counts = counts(skew: 1)
        #expect((3130...3700).contains(counts[0]))
        #expect(counts[0] > counts[1] && counts[1] > counts[4] && counts[4] > counts[9])
    }

    @Test func `but not before there is one`() {
        var random = SplitMix64(seed: 4)
        #expect(DeviceChooser(skew: 1).choose(&random) == nil)
    }
}
