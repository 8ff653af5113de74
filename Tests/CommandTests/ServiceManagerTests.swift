import Glibc
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
            #expect(socket.receive() == text)
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
}

/// What systemd has on its side: a datagram socket.
private final class NotifySocket {
    private let descriptor: Int32
    private let path: String?

    init(_ address: String) throws {
        path = address.hasPrefix("@") ? nil : address
        if let path { unlink(path) }
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var name = Array(address.utf8)
        if path == nil { name[0] = 0 }
        var own = sockaddr_un()
        own.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &own.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let bound = withUnsafePointer(to: &own) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length)
            }
        }
        try #require(bound == 0, "errno \(errno)")
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience,
            socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
        if let path { unlink(path) }
    }

    func receive() -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
}
