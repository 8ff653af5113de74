import AttestTestKit
import FoundationEssentials
import Glibc
import Harness
import PostgresStore
import RecordedVectors
import Testing

extension EndToEndTests {
    @Suite struct CommandTests {
        /// A fault that no restart heals ends the process with the code that says so.
        @Test func `run and check end with the code of what is wrong`() async throws {
            let postgres = try Servers.shared().postgres
            _ = try await Database.create("empty", on: postgres, migrated: false)
            let broker = try Servers.shared().broker
            // The mock broker makes topics up, unless they carry an error.
            try await broker.command("topic nowhere:1")
            try await broker.command("topic-error nowhere UNKNOWN_TOPIC_OR_PART")
            let cases: [Case] = [
                (
                    "no-schema", 73,
                    { $0.postgres.connection = postgres.conninfo(database: "empty") }
                ),
                ("no-request-topic", 73, { $0.kafka.topics.requests = ["nowhere"] }),
                ("no-verdict-topic", 73, { $0.kafka.topics.verdicts = "nowhere" }),
                (
                    "wrong-password", 77,
                    { settings in
                        let right = postgres.loopbackConninfo(database: "wrong-password") ?? ""
                        settings.postgres.connection = right.replacing(
                            "password=", with: "password=x")
                    }
                ),
                (
                    "forgets-commits", 78,
                    { $0.postgres.connection += " options='-c synchronous_commit=off'" }
                ),
                ("no-broker-address", 78, { $0.kafka.bootstrapServers = [] }),
            ]
            try await withThrowingTaskGroup { group in
                for one in cases { group.addTask { try await expectEnd(one) } }
                try await group.waitForAll()
            }
        }

        @Test func `run waits for a database that is away, and stops when asked`() async throws {
            let world = try await World("away", apps: [app]) { settings in
                settings.postgres.connection = "host=127.0.0.1 port=1"
            }
            let worker = try await world.startWorker()
            let check = try await world.runCommand("check")
            #expect(check.ended == .exited(69), "\(check): \(check.output)")
            try await worker.waitFor("claim_retried", within: .seconds(30))
            try await stop([worker])
        }

        @Test func `check finds all in order, and migrate nothing to do`() async throws {
            let world = try await World("in-order", apps: [app])
            let check = try await world.runCommand("check")
            #expect(check.ended == .exited(0), "\(check): \(check.output)")
            // The mock broker tells nothing of itself, and the server was made for tests.
            #expect(check.output.contains("warn  configuration of in-order.requests, "))
            #expect(check.output.contains("warn  durability: "))
            #expect(check.output.contains("ok    time between polls: "))
            let migration = try await world.runCommand("migrate")
            #expect(migration.ended == .exited(0), "\(migration)")
            #expect(migration.output == "nothing to do\n")
        }

        @Test func `every wrong setting is told at once`() async throws {
            let folder = try Folder("attest-settings")
            // A command line that can't be read is wrong usage, whatever else is wrong.
            let unread = try await start(["run", "extra"], folder)
            #expect(try await unread.waitForEnd(within: .seconds(10)) == .exited(64), "\(unread)")
            let arguments = ["run", "--worker.lanes=many", "--log.level=loud"]
            let worker = try await start(arguments, folder)
            #expect(try await worker.waitForEnd(within: .seconds(10)) == .exited(78))
            for key in ["worker.lanes", "log.level", "apps"] {
                #expect(worker.errors.contains(key), "\(worker)")
            }
        }

        @Test func `verify tells yes, no and wrong usage by its code`() async throws {
            let folder = try Folder("attest-verify")
            let vector = try RecordedVectors.named("attestation-veehaitch-ios-14.4")
            let request = try folder.write(
                String(decoding: vector.record().value ?? [], as: UTF8.self), to: "request.json")
            let appID = try #require(vector.appID)
            let at = try #require(vector.validationTime)
            let right = [
                "verify", "--app-id", appID, "--environment", "development", "--at", at, request,
            ]
            let cases: [([String], Int32, String)] = [
                (right, 0, "\"outcome\":\"accepted\""),
                // A development build, but only production is allowed by default.
                (
                    ["verify", "--app-id", appID, "--at", at, request], 1,
                    "\"reason\":\"environment_mismatch\""
                ),
                (["verify", request], 64, ""),
                (["verfy"], 64, ""),
            ]
            for (arguments, code, text) in cases {
                let process = try await start(arguments, folder)
                #expect(
                    try await process.waitForEnd(within: .seconds(10)) == .exited(code),
                    "\(process)")
                #expect(process.output.contains(text), "\(arguments): \(process.output)")
            }
        }
    }
}

private let app = WorkerSettings.App(appId: "TESTTEAM01.com.example.commands")

private typealias Case = (
    name: String, code: Int32, adjust: @Sendable (inout WorkerSettings) -> Void
)

private func expectEnd(_ one: Case) async throws {
    let world = try await World(one.name, apps: [app], adjust: one.adjust)
    let worker = try await world.startWorker()
    let check = try await world.runCommand("check")
    #expect(check.ended == .exited(one.code), "\(one.name): \(check): \(check.output)")
    let end = try await worker.waitForEnd(within: .seconds(30))
    #expect(end == .exited(one.code), "\(one.name): \(worker)")
    #expect(!worker.errors.contains("password=x"), "a password is in the log")
}

private func start(_ arguments: [String], _ folder: Folder) async throws -> ChildProcess {
    try await ChildProcess.start(
        BuildProducts.executable("attest-worker"), arguments, folder: folder,
        name: "command-\(UInt64.random(in: 0...UInt64.max))")
}
