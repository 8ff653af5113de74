import AttestTestKit
import Glibc
import Harness
import Testing
import Wire
import Worker

extension EndToEndTests {
    /// The operators' commands, over one world that they leave right.
    @Suite struct ToolTests {
        @Test func `operators show, replay, send back, move and prune`() async throws {
            let authority = TestAuthority(seed: 80)
            let world = try await World("tools", apps: [Load.app(authority)])
            let load = Load(
                world.name, seed: 80, deviceCount: 4, assertionCount: 60, authority: authority)
            let oracle = Oracle(world, load)
            let first = try await world.startWorker()
            try world.send(load.requests.map(\.record))
            try await oracle.waitUntilAnswered(within: .seconds(60), [first])
            try await stop([first])
            try await showOffsets(world, load)
            try await replay(world, load)
            try await oracle.expectEverythingRight()
            try await moveAndAnswerAgain(world, load)
            try await oracle.expectEverythingRight()
            try await oracle.expectAllCommitted()
            try await sendBack(world)
            try await prune(world)
        }

        private func showOffsets(_ world: World, _ load: Load) async throws {
            let shown = try await run(world, "offsets show", ["--json"])
            let lines = shown.split(separator: "\n")
            #expect(lines.count == 2)
            #expect(lines.allSatisfy { $0.contains("\"state\":\"ok\"") }, "\(shown)")
            #expect(lines.allSatisfy { $0.contains("\"lag\":0") }, "\(shown)")
            let table = try await run(world, "offsets show", ["--partition=1"])
            #expect(table.contains("tools.requests"))
            #expect(table.split(separator: "\n").count == 3)
            _ = try await run(world, "offsets show", ["--partition=2"], ends: 64)
        }

        private func replay(_ world: World, _ load: Load) async throws {
            let before = try await world.verdicts.readOn().count
            let counted = try await run(world, "replay", ["--from=0", "--dry-run", "--json"])
            #expect(counted.contains("\"verdicts\":\(load.requests.count)"), "\(counted)")
            #expect(try await world.verdicts.readOn().count == before)
            _ = try await run(world, "replay", ["--from=0", "--rate=500"])
            let again = try await world.verdicts.readOn().dropFirst(before)
            #expect(again.count == load.requests.count)
            #expect(
                again.allSatisfy {
                    $0.headers.contains(Header(name: "attest-redelivered", text: "1"))
                })
            // Whether the bytes are equal, the oracle tells.
            let one = try await run(world, "replay", ["--from=3", "--to=5", "--partition=0"])
            #expect(one.hasPrefix("2 records read, 2 verdicts published"), "\(one)")
        }

        /// With a group that nobody was ever in: the mock takes commits from outside for no other.
        private func moveAndAnswerAgain(_ world: World, _ load: Load) async throws {
            let group = ["--kafka.groupId=moved"]
            // Nor can the mock tell who is in a group.
            let refused = try await world.runCommand(
                "offsets reset", ["--to-earliest"] + group)
            #expect(refused.ended == .exited(76), "\(refused)")
            #expect(refused.errors.contains("--while-stopped"))
            let dry = try await run(world, "offsets reset", ["--to-latest", "--dry-run"] + group)
            #expect(dry.contains("would be moved from nothing committed"), "\(dry)")
            #expect(dry.contains("never get a verdict"), "\(dry)")
            let moved = try await run(
                world, "offsets reset", ["--to-offset=4", "--while-stopped", "--json"] + group)
            #expect(
                moved.split(separator: "\n").allSatisfy { $0.contains("\"jumpedOver\":4") },
                "\(moved)")
            let back = try await run(
                world, "offsets reset", ["--to-earliest", "--while-stopped"] + group)
            #expect(back.contains("4 decided again to be answered, 0 jumped over"), "\(back)")
            let shown = try await run(world, "offsets show", ["--json"] + group)
            #expect(
                shown.split(separator: "\n").allSatisfy {
                    $0.contains("\"committed\":0,") && $0.contains("\"nextOffset\":4,")
                }, "\(shown)")
            // Inbox and sign counts are one for all groups.
            let before = try await world.verdicts.readOn().count
            let worker = try await world.startWorker(["ATTEST_KAFKA__GROUP_ID": "moved"])
            try await eventually("all is answered again; \(worker)", within: .seconds(60)) {
                try await world.verdicts.readOn().count == before + load.requests.count
            }
            try await stop([worker])
        }

        private func sendBack(_ world: World) async throws {
            let secret = "no request, but a secret"
            let garbage = SentRecord(
                key: Array("some key".utf8), value: Array(secret.utf8),
                headers: [Header(name: "x-own", text: "kept")], partition: 1)
            let worker = try await world.startWorker()
            try world.send([garbage, garbage, SentRecord(key: nil, value: nil, partition: 0)])
            try await waitForDeadLetters(3, world, worker)
            let list = try await run(world, "dead-letters list", ["--json"])
            #expect(list.split(separator: "\n").count == 3)
            #expect(list.contains("\"errorCode\":\"empty_value\""), "\(list)")
            let chosen = ["--error=not_a_json_object", "--source=tools.requests"]
            let table = try await run(world, "dead-letters list", chosen + ["--limit=1"])
            #expect(table.split(separator: "\n").count == 3, "\(table)")
            let letters = try await world.deadLetters.readOn()
            let place = try #require(letters.first { $0.key != nil }?.place)
            let name = "\(place.partition):\(place.offset)"
            let show = try await run(world, "dead-letters show", [name])
            let whole = try await run(world, "dead-letters show", [name, "--payload"])
            #expect(whole.contains(Base64.encode(Array(secret.utf8))))
            for text in [list, table, show] {
                #expect(!text.contains(secret) && !text.contains("some key"), "\(text)")
                #expect(!text.contains(Base64.encode(Array(secret.utf8))), "\(text)")
            }

            let dry = try await run(world, "dead-letters redrive", chosen + ["--dry-run"])
            #expect(dry.contains("2 would be sent back"), "\(dry)")
            let sent = try await run(world, "dead-letters redrive", chosen)
            #expect(sent.contains("2 sent back"), "\(sent)")
            // They are no better than before.
            try await waitForDeadLetters(5, world, worker)
            try await stop([worker])
            for letter in try await world.deadLetters.readOn().filter({ $0.key != nil }) {
                #expect(letter.value == garbage.value)
                #expect(letter.key == garbage.key)
                #expect(letter.headers.first == garbage.headers.first)
            }
            let back = try await world.requests.readOn().suffix(2)
            #expect(
                back.map(\.headers)
                    == Array(
                        repeating: garbage.headers + [Header(name: "attest-redrives", text: "1")],
                        count: 2))
            #expect(back.allSatisfy { $0.place.partition == 1 && $0.value == garbage.value })
            let limited = try await run(
                world, "dead-letters redrive", ["--all", "--redrives-max=1", "--dry-run", "--json"])
            #expect(limited.contains("\"too_often\":2"), "\(limited)")
            #expect(limited.contains("\"sent\":3"), "\(limited)")
        }

        private func prune(_ world: World) async throws {
            let database = world.database
            try await database.query(
                """
                UPDATE attest.inbox SET decided_on = decided_on - 40 WHERE request IN
                    (SELECT request FROM attest.inbox ORDER BY request LIMIT 7)
                """)
            let kept = try await world.database.storedVerdicts().count - 7
            let dry = try await run(world, "inbox prune", ["--dry-run", "--json"])
            #expect(dry.contains("\"rows\":7"), "\(dry)")
            let none = try await run(world, "inbox prune", ["--older-than=50d", "--json"])
            #expect(none.contains("\"rows\":0"), "\(none)")
            _ = try await run(world, "inbox prune", ["--older-than=20d"], ends: 64)
            let pruned = try await run(world, "inbox prune", [])
            #expect(pruned.hasPrefix("7 rows older than 30 days deleted"), "\(pruned)")
            #expect(try await world.database.storedVerdicts().count == kept)
        }

        private func run(
            _ world: World, _ name: String, _ flags: [String], ends code: Int32 = 0
        ) async throws -> String {
            let process = try await world.runCommand(name, flags)
            #expect(process.ended == .exited(code), "\(name) \(flags): \(process)")
            return process.output
        }

        private func waitForDeadLetters(
            _ count: Int, _ world: World, _ worker: ChildProcess
        ) async throws {
            try await eventually("\(count) dead letters; \(worker)", within: .seconds(60)) {
                try await world.deadLetters.readOn().count >= count
            }
        }
    }
}
