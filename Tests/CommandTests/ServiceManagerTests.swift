import Glibc
import Harness
import Synchronization
import Testing
import Worker

@testable import attest_worker

@Suite struct ServiceManagerTests {
    @Test func `nobody is told where nobody asked`() {
        #expect(ServiceManager(environment: [:]) == nil)
        #expect(ServiceManager(environment: ["NOTIFY_SOCKET": ""]) == nil)
    }

    @Test(arguments: ["@attest-worker-test-\(getpid())", "/tmp/attest-worker-notify-\(getpid())"])
    func `each message arrives as one datagram, at a path or an abstract name`(
        address: String
    ) throws {
        let socket = try NotifySocket(address)
        let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": address]))
        let messages: [(ServiceManager.Message, String)] = [
            (.ready, "READY=1\nSTATUS=Verifying requests\n"),
            (.reloading(monotonic: .milliseconds(1500)), "RELOADING=1\nMONOTONIC_USEC=1500000\n"),
            (.alive, "WATCHDOG=1\n"), (.stopping, "STOPPING=1\nSTATUS=Finishing what is in hand\n"),
        ]
        for (message, text) in messages {
            #expect(manager.tell(message))
            #expect(socket.receive(withinSeconds: 30) == text)
        }
    }

    @Test(arguments: [
        "/nowhere/notify", "@nobody-listens-\(getpid())", "relative",
        "/" + String(repeating: "x", count: 107), "@" + String(repeating: "x", count: 500),
    ])
    func `a manager that can't be reached is told apart from one that was told`(
        address: String
    ) throws {
        let manager = try #require(ServiceManager(environment: ["NOTIFY_SOCKET": address]))
        #expect(!manager.tell(.ready))
    }

    @Test(arguments: [
        (["WATCHDOG_USEC": "30000000"], Duration.seconds(30)),
        (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"], .seconds(30)),
        (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"], nil), (["WATCHDOG_USEC": "0"], nil),
        (["WATCHDOG_USEC": "-1"], nil), (["WATCHDOG_USEC": "soon"], nil), ([:], nil),
    ])
    func `only a watchdog of this process watches`(
        variables: [String: String], timeout: Duration?
    ) throws {
        let environment = variables.merging(["NOTIFY_SOCKET": "@a"]) { first, _ in first }
        let manager = try #require(ServiceManager(environment: environment, processID: 7))
        #expect(manager.watchdogTimeout == timeout)
    }

    @Test func `the watchdog is pinged as long as the lanes are alive`() throws {
        let socket = try NotifySocket("@attest-worker-watchdog-\(getpid())")
        let manager = ServiceManager(
            environment: ["NOTIFY_SOCKET": socket.address, "WATCHDOG_USEC": "15000"])
        let isAlive = Atomic(true)
        let asked = Atomic(0)
        let watchdog = try #require(
            Watchdog(manager) {
                asked.add(1, ordering: .relaxed)
                return isAlive.load(ordering: .relaxed)
            })
        defer { watchdog.stop() }
        for _ in 0..<3 { #expect(socket.receive(withinSeconds: 30) == "WATCHDOG=1\n") }

        isAlive.store(false, ordering: .relaxed)
        waitForTwoQuestions(asked)
        while socket.receive(withinSeconds: 0) != nil {}
        waitForTwoQuestions(asked)
        #expect(socket.receive(withinSeconds: 0) == nil, "a stuck process was called alive")

        isAlive.store(true, ordering: .relaxed)
        #expect(socket.receive(withinSeconds: 30) == "WATCHDOG=1\n")
    }

    @Test func `nobody is pinged who does not watch`() {
        #expect(Watchdog(nil) { true } == nil)
        #expect(Watchdog(ServiceManager(environment: ["NOTIFY_SOCKET": "@a"])) { true } == nil)
    }

    /// The second question begins after this was called, so the first one's answer is sent by then.
    private func waitForTwoQuestions(_ asked: borrowing Atomic<Int>) {
        let before = asked.load(ordering: .relaxed)
        while asked.load(ordering: .relaxed) < before + 2 { usleep(1000) }
    }
}
