import FoundationEssentials
import Glibc
import Harness
import Synchronization

/// What each worker holds, from time to time.
final class SoakSampler: Sendable {
    private let servers: SoakServers
    private let samples = Mutex<[String: [LeakSample]]>([:])

    init(_ servers: SoakServers) {
        self.servers = servers
    }

    /// Takes a sample of each.
    func sample(_ members: [SoakFleet.Member], minute: Double) async {
        // A server that is down just now can't be asked: then the sample does without.
        let rows = try? await servers.database.query(
            "SELECT application_name, count(*) FROM pg_stat_activity "
                + "WHERE application_name LIKE 'worker-%' GROUP BY 1")
        var sessions: [String: Int] = [:]
        for row in rows ?? [] { sessions[row[0]] = Int(row[1]) }
        for member in members {
            guard let process = ProcessState(member.process.processID) else { continue }
            let sample = LeakSample(
                minute: minute, residentKiB: process.residentKiB, handles: process.handles,
                threads: process.threads,
                sessions: rows == nil ? nil : sessions[member.name] ?? 0)
            samples.withLock { $0[member.name, default: []].append(sample) }
        }
    }

    /// What the worker that was there all the time holds on to.
    func problems() -> [String] {
        LeakJudge.problems(survivor, lanes: 1).map { "\(SoakFleet.survivor): \($0)" }
    }

    /// The samples of the worker that was there all the time.
    var survivor: [LeakSample] {
        samples.withLock { $0[SoakFleet.survivor] ?? [] }
    }

    /// A line for each worker: what it held first and last.
    func lines() -> [String] {
        samples.withLock { $0 }.sorted { $0.key < $1.key }.compactMap { name, samples in
            guard let first = samples.first, let last = samples.last else { return nil }
            func range(_ value: (LeakSample) -> Int) -> String {
                let values = samples.map(value)
                return "\(value(first)) to \(value(last)), at most \(values.max() ?? 0)"
            }
            return "  \(name), \(samples.count) samples: RSS KiB \(range(\.residentKiB)); handles "
                + "\(range(\.handles)); threads \(range(\.threads)); sessions at the end "
                + (last.sessions.map(String.init) ?? "unknown")
        }
    }
}

/// A process as the kernel shows it.
private struct ProcessState {
    let residentKiB: Int
    let handles: Int
    let threads: Int

    /// Looks at a process; nil if it is gone.
    init?(_ processID: pid_t) {
        let folder = "/proc/\(processID)"
        guard let status = try? String(contentsOfFile: folder + "/status", encoding: .utf8),
            let handles = try? FileManager.default.contentsOfDirectory(atPath: folder + "/fd")
        else { return nil }
        func number(_ name: String) -> Int? {
            status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
                .flatMap { $0.split(whereSeparator: { " \t".contains($0) }).dropFirst().first }
                .flatMap { Int($0) }
        }
        guard let resident = number("VmRSS"), let threads = number("Threads") else { return nil }
        residentKiB = resident
        self.handles = handles.count
        self.threads = threads
    }
}
