internal import Glibc
package import Worker

extension ProcessFigures {
    /// The figures of this process.
    ///
    /// Source: proc(5), `/proc/pid/stat`; getrusage(2).
    package static func ofThisProcess() -> ProcessFigures {
        var figures = ProcessFigures()
        var usage = rusage()
        if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
            figures.processorTime =
                .seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
                + .microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
        }
        // Fields of proc(5) are counted from 1; the first one here is the third, the state.
        let fields = statFields()
        figures.threads = fields[17]
        figures.virtualBytes = fields[20]
        figures.residentBytes = fields[21].map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            figures.openFilesMax = Int(clamping: limit.rlim_cur)
        }
        figures.openFiles = openFileCount()
        return figures
    }
}

/// The numbers of `/proc/self/stat` behind the program's name, which may hold anything.
private func statFields() -> [Int: Int] {
    let descriptor = open("/proc/self/stat", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [:] }
    defer { close(descriptor) }
    // One line of 52 numbers.
    var bytes = [UInt8](repeating: 0, count: 2048)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return [:] }
    let text = String(decoding: bytes.prefix(count), as: UTF8.self)
    guard let end = text.lastIndex(of: ")") else { return [:] }
    let fields = text[text.index(after: end)...].split(separator: " ").map { Int($0) }
    return Dictionary(
        uniqueKeysWithValues: fields.enumerated().compactMap { place, value in
            value.map { (place, $0) }
        })
}

private func openFileCount() -> Int? {
    guard let folder = opendir("/proc/self/fd") else { return nil }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    // Not `.`, not `..`, and not the folder that is being read.
    return max(0, count - 3)
}
