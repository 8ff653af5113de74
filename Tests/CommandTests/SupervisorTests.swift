import Glibc
import Synchronization
import Testing
import Worker

@testable import attest_worker

@Suite struct SupervisorTests {
    let stop = StopSignal()
    let events = Mailbox<Supervisor.Event>()

    func supervisor(drain: Duration = .seconds(30)) -> Supervisor {
        Supervisor(stop: stop, drainTimeout: drain, log: .silent, events: events)
    }

    /// A lane that ends when it is asked to.
    static func obey(_ stop: StopSignal) -> Fault? {
        while !stop.isRequested { usleep(1000) }
        return nil
    }

    static func fault(_ disposition: Disposition) -> Fault {
        Fault(operation: "test", code: "test", disposition: disposition, message: "a test")
    }

    @Test func `a signal stops all lanes, and that is success`() {
        events.put(.signal(SIGTERM))
        let ending = supervisor().run(lanes: 3) { [stop] _ in Self.obey(stop) }
        #expect(ending == .init(code: .success, lanesLeft: 0))
        #expect(stop.isRequested)
    }

    @Test(arguments: [
        (Disposition.stop(.noPermission), ExitCode.noPermission),
        (.stop(.drainDeadline), .drainDeadline), (.fenced, .fenced), (.retry, .software),
        (.poison, .software),
    ])
    func `a lane's fault stops the others and gives the code`(
        disposition: Disposition, code: ExitCode
    ) {
        let outcome = supervisor().run(lanes: 3) { [stop] number in
            number == 1 ? Self.fault(disposition) : Self.obey(stop)
        }
        #expect(outcome == .init(code: code, lanesLeft: 0))
    }

    @Test func `a lane that ends unasked is a fault`() {
        let outcome = supervisor().run(lanes: 2) { [stop] number in
            number == 1 ? nil : Self.obey(stop)
        }
        #expect(outcome == .init(code: .software, lanesLeft: 0))
    }

    @Test func `lanes that don't end in time are left behind`() {
        let hanging = Hanging()
        defer { hanging.release() }
        events.put(.signal(SIGTERM))
        let ending = supervisor(drain: .milliseconds(50)).run(lanes: 1) { _ in hanging.run() }
        #expect(ending == .init(code: .drainDeadline, lanesLeft: 1))
    }

    @Test func `that the lanes are asked to stop is told once`() {
        let told = Atomic(0)
        var supervisor = supervisor()
        supervisor.whenStopping = { [stop] in
            #expect(!stop.isRequested, "before any lane can have ended")
            told.add(1, ordering: .relaxed)
        }
        _ = supervisor.run(lanes: 3) { [stop] number in
            number == 1 ? Self.fault(.fenced) : Self.obey(stop)
        }
        #expect(told.load(ordering: .relaxed) == 1)
    }

    @Test func `a second signal ends at once`() {
        let hanging = Hanging()
        defer { hanging.release() }
        events.put(.signal(SIGTERM))
        events.put(.signal(SIGINT))
        var supervisor = supervisor()
        supervisor.sameSignalWindow = .zero
        let ending = supervisor.run(lanes: 1) { _ in hanging.run() }
        #expect(ending == .init(code: .drainDeadline, lanesLeft: 1))
    }

    @Test func `a signal that comes twice at one moment is one`() {
        events.put(.signal(SIGTERM))
        events.put(.signal(SIGTERM))
        events.put(.signal(SIGINT))
        var supervisor = supervisor()
        supervisor.sameSignalWindow = .seconds(3600)
        let ending = supervisor.run(lanes: 2) { [stop] _ in Self.obey(stop) }
        #expect(ending == .init(code: .success, lanesLeft: 0))
    }

    @Test func `a fault is remembered over the deadline that follows it`() {
        let hanging = Hanging()
        defer { hanging.release() }
        let outcome = supervisor(drain: .milliseconds(50)).run(lanes: 2) { number in
            number == 0 ? Self.fault(.stop(.incompatible)) : hanging.run()
        }
        #expect(outcome == .init(code: .incompatible, lanesLeft: 1))
    }

    /// A lane that does not listen until it is released.
    final class Hanging: Sendable {
        private let isReleased = Atomic(false)

        func run() -> Fault? {
            while !isReleased.load(ordering: .acquiring) { usleep(1000) }
            return nil
        }

        func release() {
            isReleased.store(true, ordering: .releasing)
        }
    }
}
