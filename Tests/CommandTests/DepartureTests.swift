import Dispatch
import Synchronization
import Testing
import Worker

@testable import attest_worker

@Suite struct DepartureTests {
    @Test func `a lane that is done waits for the others, also for one that failed`() {
        let departure = Departure(lanes: 3, patience: .seconds(60))
        let left = Atomic(0)
        let gone = DispatchGroup()
        for lane in 0..<2 {
            gone.enter()
            _ = DetachedThread.start { [departure] in
                departure.wait(lane)
                left.add(1, ordering: .relaxed)
                gone.leave()
            }
        }
        #expect(gone.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
        #expect(left.load(ordering: .relaxed) == 0)
        departure.laneEnded(2)
        #expect(gone.wait(timeout: .now() + .seconds(30)) == .success)
        #expect(left.load(ordering: .relaxed) == 2)
    }

    @Test func `patience has an end, and an end said twice counts once`() {
        let departure = Departure(lanes: 2, patience: .milliseconds(20))
        departure.laneEnded(0)
        departure.laneEnded(0)
        departure.wait(0)
        departure.laneEnded(1)
        departure.wait(1)
    }
}
