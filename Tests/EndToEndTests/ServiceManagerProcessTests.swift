import FoundationEssentials
import Glibc
import Harness
import Testing

extension EndToEndTests {
    /// A worker under systemd, or under an image's health check, while all it needs is away.
    @Suite struct ServiceManagerProcessTests {
        private struct Line: Decodable {
            var event: String
            var address: String?
        }

        @Test func `a worker is ready and alive while broker and database are away`() async throws {
            let folder = try Folder("attest-notify")
            let socket = try NotifySocket(folder.path("notify"))
            let program = try BuildProducts.executable("attest-worker")
            let settings = [
                "--kafka.bootstrapServers=127.0.0.1:1",
                "--postgres.connection=host=127.0.0.1 port=1 dbname=attest",
                "--apps=[{appId: \"TEAM.com.example.app\"}]", "--worker.lanes=1",
                "--log.format=json",
            ]
            let worker = try await ChildProcess.start(
                program, ["run", "--operations.listen=127.0.0.1:0"] + settings,
                environment: ["NOTIFY_SOCKET": socket.address, "WATCHDOG_USEC": "3000000"],
                folder: folder, name: "worker")
            #expect(socket.receive(withinSeconds: 60)?.hasPrefix("READY=1\n") == true, "\(worker)")
            #expect(socket.receive(withinSeconds: 30) == "WATCHDOG=1\n", "\(worker)")

            let address = try #require(try self.address(in: worker.errors), "\(worker)")
            for (flags, code) in [([], Int32(0)), (["--ready"], 1), (["--started"], 1)] {
                let probe = try await ChildProcess.start(
                    program, ["health", "--operations.listen=\(address)"] + flags,
                    folder: folder, name: "health" + (flags.first ?? ""))
                #expect(
                    try await probe.waitForEnd(within: .seconds(30)) == .exited(code),
                    "\(probe): \(probe.output)")
                #expect(probe.output == "ok\n" || code == 1)
            }

            worker.send(SIGHUP)
            for message in ["RELOADING=1\n", "READY=1\n"] {
                #expect(next(of: socket)?.hasPrefix(message) == true, "\(message) \(worker)")
            }
            worker.send(SIGTERM)
            #expect(next(of: socket)?.hasPrefix("STOPPING=1\n") == true, "\(worker)")
            #expect(try await worker.waitForEnd(within: .seconds(60)) == .exited(0), "\(worker)")
        }

        /// The next message that is no ping of the watchdog.
        private func next(of socket: NotifySocket) -> String? {
            var told = socket.receive(withinSeconds: 30)
            while told == "WATCHDOG=1\n" { told = socket.receive(withinSeconds: 30) }
            return told
        }

        /// Where the log says that the endpoints are.
        private func address(in log: String) throws -> String? {
            for line in log.split(separator: "\n") {
                guard let line = try? JSONDecoder().decode(Line.self, from: Data(line.utf8)) else {
                    continue
                }
                if line.event == "operations_listening" { return line.address }
            }
            return nil
        }
    }
}
