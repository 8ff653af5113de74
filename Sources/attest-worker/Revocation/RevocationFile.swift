import AppAttest
import Glibc
import Worker

/// The file of the list of revocations.
struct RevocationFile: Sendable {
    /// Which content a file has, as far as can be told without reading it.
    struct Stamp: Hashable {
        let device: UInt
        let node: UInt
        let bytes: Int
        let seconds: Int
        let nanoseconds: Int

        /// When it was written.
        var writtenAt: Instant {
            Instant(milliseconds: Int64(seconds) * 1000 + Int64(nanoseconds) / 1_000_000)
        }
    }

    /// A file that is no list now; a sentence about it.
    struct Refused: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    let path: String

    /// The stamp of what the path leads to now; nil where it leads to no regular file.
    func stamp() -> Stamp? {
        var facts = stat()
        guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        return Stamp(
            device: UInt(facts.st_dev), node: UInt(facts.st_ino), bytes: Int(facts.st_size),
            seconds: facts.st_mtim.tv_sec, nanoseconds: facts.st_mtim.tv_nsec)
    }

    /// Reads the list.
    ///
    /// - Returns: the list, and the stamp of the file it was read from.
    /// - Throws: why there is none; also when the file changed meanwhile.
    func read() throws(Refused) -> (list: RevocationList, stamp: Stamp) {
        guard let stamp = stamp() else {
            throw Refused(description: "\(path) is no file, or may not be looked at")
        }
        guard stamp.bytes <= RevocationList.bytesMax else {
            throw Refused(
                description: "\(path) is larger than \(RevocationList.bytesMax) bytes")
        }
        // Without waiting, should a pipe have taken the file's place meanwhile.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw Refused(description: "\(path) can't be read (errno \(errno))")
        }
        defer { close(descriptor) }
        let bytes = try contents(of: descriptor, expected: stamp.bytes)
        guard bytes.count == stamp.bytes, self.stamp() == stamp else {
            throw Refused(description: "\(path) changed while it was read: replace it by rename(2)")
        }
        do throws(RevocationList.Unreadable) {
            return (try RevocationList(parsing: bytes), stamp)
        } catch {
            throw Refused(description: "\(path): \(error)")
        }
    }

    /// All bytes, or one more than expected: then the file has grown.
    private func contents(
        of descriptor: Int32, expected: Int
    ) throws(Refused) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(expected + 1)
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= expected {
            let count = chunk.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count == 0 { break }
            if count > 0 {
                bytes += chunk.prefix(count)
            } else if errno != EINTR {
                throw Refused(description: "\(path) can't be read (errno \(errno))")
            }
        }
        return bytes
    }
}

extension RevocationFile {
    /// What `check` and the start find of the list; nothing where none is set.
    static func findings(_ settings: Settings.Revocations) -> [Finding] {
        guard let path = settings.path else { return [] }
        do throws(Refused) {
            let list = try RevocationFile(path: path).read().list
            return [.fine("revocations", "\(list.count) entries, list \(list.version)")]
        } catch {
            return [.failure("revocations", .config, error.description)]
        }
    }
}
