import Glibc

/// A folder that a command writes files into.
struct OutputFolder {
    private let path: String

    /// Something that could not be written: a whole sentence that names the place and tells why.
    struct Problem: Error, Hashable {
        let message: String
    }

    /// Takes a folder, and makes it and those above it where they are not there.
    init(making path: String) throws(Problem) {
        self.path = path
        var place = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            place += part + "/"
            guard mkdir(place, 0o777) != 0 else { continue }
            let code = errno
            // One that is there may say so by another code, where nothing can be made beside it.
            guard Self.isFolder(place) else { throw Self.problem(place.dropLast(), code) }
        }
        guard Self.isFolder(path) else { throw Self.problem(path[...], ENOTDIR) }
    }

    /// Writes a file, in the place of one of the same name.
    ///
    /// - Parameters:
    ///   - bytes: all of it.
    ///   - name: its name within the folder.
    /// - Throws: why it can't be written.
    func write(_ bytes: [UInt8], to name: String) throws(Problem) {
        let file = path + "/" + name
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Self.problem(file[...], errno) }
        let failure = writeAll(bytes, to: descriptor) ? 0 : errno
        // A network's file system may tell only now that there was no room.
        guard close(descriptor) == 0, failure == 0 else {
            throw Self.problem(file[...], failure == 0 ? errno : failure)
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func problem(_ place: Substring, _ code: Int32) -> Problem {
        let reason =
            switch code {
            case EACCES, EPERM: "this user may not write there"
            case EEXIST, ENOTDIR: "it is no folder, or a part of the path is none"
            case EISDIR: "it is a folder"
            case EROFS: "it lies on a file system that can only be read"
            case ENOSPC, EDQUOT: "no space is left"
            case ENAMETOOLONG: "a name in it is too long"
            default: "errno \(code)"
            }
        return Problem(message: "\(place) can't be written: \(reason)")
    }
}
