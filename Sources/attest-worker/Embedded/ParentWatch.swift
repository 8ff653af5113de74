import Glibc

/// Tells when whoever started this process is gone, or has let go of it.
///
/// The stream that the parent holds is the surest sign: the kernel closes it however the parent
/// ends. Where standard input is no such stream, as under `nohup` or with `/dev/null`, only the
/// parent's process id is looked at.
struct ParentWatch {
    private let parent = getppid()
    private let isStreamWatched: Bool

    /// Looks who the parent is, and what it gave as standard input.
    init() {
        var status = stat()
        let isKnown = fstat(STDIN_FILENO, &status) == 0
        let type = status.st_mode & S_IFMT
        isStreamWatched = isKnown && [S_IFIFO, S_IFSOCK].contains(type)
    }

    /// Whether to end now; takes whatever came on standard input.
    ///
    /// - Parameter milliseconds: how long to wait for a sign.
    /// - Returns: true once the parent is gone or has closed the stream.
    func isOver(within milliseconds: Int32) -> Bool {
        // A parent that ended leaves its children to another process.
        if getppid() != parent { return true }
        guard isStreamWatched else {
            _ = poll(nil, 0, milliseconds)
            return false
        }
        var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, milliseconds) > 0 else { return false }
        var nothing = [UInt8](repeating: 0, count: 4096)
        let count = nothing.withUnsafeMutableBytes {
            read(STDIN_FILENO, $0.baseAddress, $0.count)
        }
        return count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)
    }
}
