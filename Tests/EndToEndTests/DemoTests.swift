import FoundationEssentials
import Glibc
import Harness
import Testing

/// The demo as a newcomer starts it: a process that brings its own broker and database.
@Suite(.serialized) struct DemoTests {
    private static let small = ["demo", "--devices", "6", "--requests", "60"]

    @Test func `the demo gets every answer right and leaves nothing behind`() async throws {
        let folder = try Folder("attest-demo")
        let demo = try await start(Self.small, folder)
        #expect(
            try await demo.waitForEnd(within: .seconds(90)) == .exited(0),
            "\(demo): \(demo.output)")
        let lines = demo.output.split(separator: "\n")
        #expect(lines.last == "Every answer was the right one.")
        for (kind, answer, count) in [
            ("honest registration", "accepted", "6"),
            ("assertion replayed in a new request", "rejected, counter_not_increasing", "2"),
            ("request sent twice", "the same bytes again", "3"),
            ("garbage without a request", "a dead letter", "2"),
        ] {
            let row = lines.first { $0.hasPrefix(kind) }.map { columns($0) }
            #expect(row == [kind, answer, count, count])
        }
        #expect(lines.contains { columns($0) == ["registration", "accepted", "-", "7", "0"] })
        #expect(try postgresFolders(in: folder) == [])
    }

    @Test func `another seed gives another plan, and its answers are right too`() async throws {
        let folder = try Folder("attest-demo")
        let demo = try await start(
            ["demo", "--devices=9", "--requests=150", "--seed=2"], folder)
        #expect(
            try await demo.waitForEnd(within: .seconds(90)) == .exited(0),
            "\(demo): \(demo.output)")
    }

    @Test func `a kept demo can be looked into, and goes at SIGTERM`() async throws {
        let folder = try Folder("attest-demo")
        let demo = try await start(Self.small + ["--keep"], folder)
        try await eventually("the demo shall say how to look around", within: .seconds(90)) {
            demo.output.contains("Ctrl-C ends it") || demo.ended != nil
        }
        let commands = demo.output.split(separator: "\n").map { $0.drop { $0 == " " } }
            .filter { $0.hasPrefix("kcat ") || $0.hasPrefix("psql ") || $0.hasPrefix("sleep 1; ") }
        #expect(commands.count == 6, "\(demo): \(demo.output)")
        var found = ""
        for command in commands { found += try await paste(command, folder) }
        for text in ["\"outcome\":", "error_code=", "sign_count", "next_offset", "lane-1"] {
            #expect(found.contains(text), "no \(text) in \(found)")
        }
        let look = try #require(commands.first { $0.hasPrefix("sleep") })
        try await eventually("the verdict shall be repeated", within: .seconds(20)) {
            try await paste(look, folder).contains("attest-redelivered=1")
        }
        let folders = try postgresFolders(in: folder)
        #expect(folders.count == 1)
        #expect(try processes(mentioning: folders).isEmpty == false)

        demo.send(SIGTERM)
        #expect(try await demo.waitForEnd(within: .seconds(40)) == .exited(0), "\(demo)")
        #expect(try postgresFolders(in: folder) == [])
        #expect(try processes(mentioning: folders) == [])
    }

    @Test func `an interrupted demo tells so by its code and leaves nothing`() async throws {
        let folder = try Folder("attest-demo")
        let demo = try await start(["demo", "--requests", "20000"], folder)
        try await eventually("the demo shall be at work", within: .seconds(60)) {
            demo.output.contains("minted ") || demo.ended != nil
        }
        let folders = try postgresFolders(in: folder)
        #expect(folders.count == 1)
        demo.send(SIGINT)
        #expect(try await demo.waitForEnd(within: .seconds(40)) == .exited(130), "\(demo)")
        #expect(demo.errors.contains("interrupted"))
        #expect(try postgresFolders(in: folder) == [])
        #expect(try processes(mentioning: folders) == [])
    }
}

/// A demo whose temporary files all lie in the folder.
private func start(_ arguments: [String], _ folder: Folder) async throws -> ChildProcess {
    // Its server may run as another user, who must be able to get there.
    try #require(chmod(folder.path, 0o755) == 0)
    let temporary = folder.path("tmp")
    try #require(mkdir(temporary, 0o777) == 0 && chmod(temporary, 0o1777) == 0)
    return try await ChildProcess.start(
        BuildProducts.executable("attest-worker"), arguments, environment: ["TMPDIR": temporary],
        folder: folder, name: "demo")
}

/// What a command prints that is pasted into a shell.
private func paste(_ command: Substring, _ folder: Folder) async throws -> String {
    let shell = try await ChildProcess.start(
        "sh", ["-c", String(command)], folder: folder, name: "look-\(UInt64.random(in: 0 ... .max))"
    )
    #expect(
        try await shell.waitForEnd(within: .seconds(20)) == .exited(0),
        "\(command): \(shell.errors)")
    return shell.output
}

/// The folders of temporary servers that are there.
private func postgresFolders(in folder: Folder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path("tmp"))
        .filter { $0.hasPrefix("attest-postgres-") }
}

/// The command lines of all processes that name one of the folders.
private func processes(mentioning folders: [String]) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc")
        .filter { $0.allSatisfy(\.isNumber) }
        .compactMap { FileManager.default.contents(atPath: "/proc/\($0)/cmdline") }
        .map { String(decoding: $0, as: UTF8.self) }
        .filter { line in folders.contains { line.contains($0) } }
}

/// The cells of a table's line: what stands between two blanks or more.
private func columns(_ line: Substring) -> [String] {
    line.split(separator: "  ").map { cell in
        String(cell.drop { $0 == " " })
    }
    .filter { !$0.isEmpty }
}
