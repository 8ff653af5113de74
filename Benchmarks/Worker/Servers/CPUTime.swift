import Foundation
import Glibc

/// The CPU time of processes, as the kernel counts it.
///
/// Source: proc(5), `/proc/pid/stat`: utime, stime, cutime and cstime in ticks,
/// with the parent's id before them.
enum CPUTime {
    /// Seconds of a process so far; 0 once it is gone.
    static func seconds(of process: pid_t) -> Double {
        fields(of: process).map { Double($0.ticks) / ticksPerSecond } ?? 0
    }

    /// Seconds of a process and its children so far, also of those that have ended.
    static func secondsOfFamily(of parent: pid_t) -> Double {
        all().reduce(0) { sum, process in
            guard let fields = fields(of: process) else { return sum }
            guard process == parent || fields.parent == parent else { return sum }
            let ticks = fields.ticks + (process == parent ? fields.ticksOfEnded : 0)
            return sum + Double(ticks) / ticksPerSecond
        }
    }

    /// The first process whose program is called so and which this process has started.
    static func child(called name: String) -> pid_t? {
        all().first { process in
            guard let fields = fields(of: process) else { return false }
            return fields.parent == getpid() && fields.name == name.prefix(15)
        }
    }

    /// Seconds in which any CPU of the machine was busy, since it was started.
    ///
    /// Source: proc(5), `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal.
    static func secondsOfMachine() -> Double {
        let line = text("/proc/stat").split(separator: "\n").first ?? ""
        let numbers = line.split(separator: " ").dropFirst().compactMap { Double($0) }
        guard numbers.count >= 8 else { return 0 }
        return (numbers[0] + numbers[1] + numbers[2] + numbers[5] + numbers[6]) / ticksPerSecond
    }

    private static let ticksPerSecond = Double(sysconf(Int32(_SC_CLK_TCK)))

    private static func all() -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }
    }

    private static func fields(
        of process: pid_t
    ) -> (name: Substring, parent: pid_t, ticks: Int, ticksOfEnded: Int)? {
        let text = text("/proc/\(process)/stat")
        guard let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")") else {
            return nil
        }
        let rest = text[text.index(after: close)...].split(separator: " ")
        guard rest.count > 14, let parent = pid_t(rest[1]) else { return nil }
        let times = rest[11...14].compactMap { Int($0) }
        guard times.count == 4 else { return nil }
        let name = text[text.index(after: open)..<close]
        return (name, parent, times[0] + times[1], times[2] + times[3])
    }

    private static func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }
}
