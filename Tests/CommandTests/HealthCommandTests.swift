import Glibc
import Operations
import Testing
import Worker

@testable import attest_worker

@Suite struct HealthCommandTests {
    private func run(_ arguments: String...) -> (code: ExitCode, console: TestConsole) {
        let test = TestConsole()
        return (AttestWorker.run(["health"] + arguments, console: test.console()), test)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n", 200, "ok\n"),
        ("HTTP/1.0 503 No\r\n\r\n", 503, ""),
        ("HTTP/1.1 404\r\nA: b\r\n\r\nx\r\n\r\ny", 404, "x\r\n\r\ny"),
    ])
    func `an answer is status and body`(text: String, status: Int, body: String) {
        #expect(HealthProbe.parse(Array(text.utf8)) == .init(status: status, body: body))
    }

    @Test(arguments: [
        "", "\r\n\r\n", "HTTP/1.1 200 OK\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 +20 OK\r\n\r\n", "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1\r\n\r\n",
    ])
    func `what does not speak HTTP is no answer`(text: String) {
        #expect(HealthProbe.parse(Array(text.utf8)) == nil)
    }

    @Test(arguments: [
        ("0.0.0.0:9464", "127.0.0.1:9464"), ("[::]:9464", "[::1]:9464"), ("[::1]:1", "[::1]:1"),
        ("10.0.0.1:9464", "10.0.0.1:9464"),
    ])
    func `a worker that listens everywhere is asked on loopback`(listen: String, asked: String)
        throws
    {
        let address = try #require(ListenAddress(listen))
        #expect(HealthProbe(listen: address).address.description == asked)
    }

    @Test(arguments: ["off", "127.0.0.1:0"])
    func `a port that nobody knows can't be asked`(listen: String) {
        let (code, console) = run("--operations.listen=\(listen)")
        #expect(code == .config)
        #expect(console.errorText.contains("operations.listen is \(listen)"))
    }

    @Test func `nobody there is unreachable, and both questions at once are bad usage`() {
        let (code, console) = run("--operations.listen=127.0.0.1:1")
        #expect(code == .unavailable)
        #expect(console.errorText.contains("nobody listens there"))
        #expect(run("--ready", "--started").code == .usage)
    }

    @Test func `one who listens and says nothing is given up`() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        // Without a name a listening socket gets a free port.
        try #require(listen(listener, 1) == 0)
        var own = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &own) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = getsockname(listener, $0, &length)
            }
        }
        let port = UInt16(bigEndian: own.sin_port)
        let (code, console) = run("--operations.listen=127.0.0.1:\(port)")
        #expect(code == .unavailable)
        #expect(console.errorText.contains("no answer came in time"))
    }
}
