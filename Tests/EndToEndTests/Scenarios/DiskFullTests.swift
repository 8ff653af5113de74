import AttestTestKit
import Glibc
import Harness
import PostgresStore
import Testing

extension EndToEndTests {
    /// The database's disk is full for a while.
    @Suite struct DiskFullTests {
        @Test func `a full disk is sat out`() async throws {
            guard let disk = SmallDisk() else {
                print("SKIPPED: a full disk: only root may mount a small one")
                return
            }
            defer { disk.remove() }
            let authority = TestAuthority(seed: 76)
            let own = try await OwnPostgres.start("full", parent: disk.path)
            defer { own.server.remove() }
            let world = try await World("full", apps: [Load.app(authority)], database: own.database)
            let first = Load(
                "before", seed: 76, deviceCount: 5, assertionCount: 100, authority: authority)
            let second = Load(
                "full", seed: 77, deviceCount: 30, assertionCount: 600, authority: authority)
            let oracle = Oracle(world, first)
            oracle.plan(second)
            let worker = try await world.startWorker()
            try await world.send(first, oracle, [worker], within: .seconds(60))
            try disk.fill()
            // Checkpoints and large tables need new files, which there is no place for.
            try world.send(second.requests.map(\.record))
            try await worker.waitFor("retried", count: 3, within: .seconds(60))
            try await oracle.expectNothingAhead()
            try disk.empty()
            // Where the log itself could not be written, the server has given up.
            try? own.server.stop(.immediate)
            try own.server.start()
            try await oracle.waitUntilAnswered(within: .seconds(90), [worker])
            try await stop([worker])
            try await oracle.expectEverythingRight()
            try await oracle.expectAllCommitted()
        }
    }
}

/// A file system in memory with little room.
private struct SmallDisk {
    let path: String
    private static let megabytes = 128

    /// Mounts one; nil where that is not permitted.
    init?() {
        var template = Array("/tmp/attest-disk-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        path = String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(Self.megabytes)m,mode=0777") == 0 else {
            rmdir(path)
            return nil
        }
    }

    /// Leaves no byte free.
    func fill() throws {
        let file = open(path + "/filler", O_WRONLY | O_CREAT, 0o600)
        defer { close(file) }
        guard file >= 0 else { throw HarnessFailure("the disk can't be filled: errno \(errno)") }
        for size in [1 << 20, 1 << 12] {
            let bytes = [UInt8](repeating: 0, count: size)
            var isFull = false
            for _ in 0...(Self.megabytes << 20) / size where !isFull {
                isFull = write(file, bytes, size) < size
            }
        }
    }

    /// Makes room.
    func empty() throws {
        guard unlink(path + "/filler") == 0 else {
            throw HarnessFailure("the disk can't be emptied: errno \(errno)")
        }
    }

    /// Unmounts it, also while it is in use.
    func remove() {
        umount2(path, Int32(MNT_DETACH))
        rmdir(path)
    }
}
