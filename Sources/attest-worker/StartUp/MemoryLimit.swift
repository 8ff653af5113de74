import Worker

/// How much memory this process may use: what its control group allows, or else what there is.
enum MemoryLimit {
    /// Looks.
    ///
    /// - Parameter read: gives a file's bytes.
    /// - Returns: bytes; nil if nothing tells.
    static func bytes(
        read: (String) throws(SettingsReader.UnreadableFile) -> [UInt8]
    ) -> Int64? {
        func text(_ path: String) -> String? {
            // A file that isn't there is of the other version, or there is no control group.
            guard let bytes = try? read(path) else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
        let limits = paths(groups: text("/proc/self/cgroup") ?? "").compactMap(text)
            // "max" where there is no limit.
            .compactMap { Int64($0.filter { !$0.isWhitespace }) }
        return (limits + [machine(text("/proc/meminfo") ?? "")].compactMap(\.self)).min()
    }

    /// Where the limits stand: of version 2 in this group and those above it, of version 1 in one
    /// place.
    ///
    /// Source: cgroups(7); `/proc/self/cgroup` has a line `0::/path` in version 2.
    private static func paths(groups: String) -> [String] {
        var paths = ["/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        let line = groups.split(separator: "\n").first { $0.hasPrefix("0::/") }
        var path = ""
        for part in [""] + (line ?? "").dropFirst(4).split(separator: "/").map({ "/" + $0 }) {
            path += part
            paths.append("/sys/fs/cgroup\(path)/memory.max")
        }
        return paths
    }

    /// The machine's memory by a line `MemTotal:       16384 kB`.
    private static func machine(_ text: String) -> Int64? {
        let line = text.split(separator: "\n").first { $0.hasPrefix("MemTotal:") }
        let number = line?.split(separator: " ").dropFirst().first.flatMap { Int64($0) }
        return number.map { $0 * 1024 }
    }
}
