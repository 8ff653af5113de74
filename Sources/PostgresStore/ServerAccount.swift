internal import Glibc
internal import Worker

/// Who runs a temporary server: another user when this process is root, else the same.
struct ServerAccount: Sendable {
    /// What is put before a command so that it runs as that user.
    let prefix: [String]
    /// The user and group the server's files must belong to; nil: no change is needed.
    private let owner: (user: uid_t, group: gid_t)?

    /// The account to use.
    ///
    /// - Returns: `postgres`, else `nobody`, when this process is root; else itself.
    /// - Throws: `.stop(.unavailable)` if root finds neither of the two, or no `setpriv`.
    static func find() throws(Fault) -> ServerAccount {
        guard geteuid() == 0 else { return ServerAccount(prefix: [], owner: nil) }
        let setpriv = "/usr/bin/setpriv"
        guard access(setpriv, X_OK) == 0 else {
            throw serverFault("find setpriv", "root needs it to run PostgreSQL; install util-linux")
        }
        for name in ["postgres", "nobody"] {
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            var buffer = [CChar](repeating: 0, count: 16_384)
            guard getpwnam_r(name, &entry, &buffer, buffer.count, &found) == 0, found != nil else {
                continue
            }
            return ServerAccount(
                prefix: [
                    setpriv, "--reuid=\(entry.pw_uid)", "--regid=\(entry.pw_gid)",
                    "--clear-groups", "--",
                ], owner: (entry.pw_uid, entry.pw_gid))
        }
        throw serverFault(
            "find a user", "PostgreSQL doesn't run as root, and no other user is there")
    }

    /// A fresh folder that this account can use.
    ///
    /// - Parameter parent: where; nil: in `TMPDIR`, else in `/tmp`.
    /// - Returns: its path.
    /// - Throws: `.stop(.unavailable)` if the account can use none.
    func makeFolder(in parent: String?) throws(Fault) -> String {
        let wanted = parent ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        // A socket's path is at most 107 bytes long.
        let defaults = wanted.utf8.count <= 70 ? [wanted, "/tmp"] : ["/tmp"]
        let bases = parent.map { [$0] } ?? defaults
        for base in bases {
            var template = Array((base + "/attest-postgres-XXXXXX").utf8CString)
            guard mkdtemp(&template) != nil else { continue }
            let folder = String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
            if let owner { chown(folder, owner.user, owner.group) }
            // A parent that the other user can't enter makes the folder useless.
            let test = Subprocess(
                arguments: prefix + ["/usr/bin/test", "-w", folder], folder: "/",
                outputPath: "/dev/null")
            if try test.run() == 0 { return folder }
            rmdir(folder)
        }
        throw serverFault("make a folder", "neither TMPDIR nor /tmp can be used by the server")
    }

    /// Appends to a file, which then belongs to this account and is nobody else's to read.
    func write(_ text: String, to path: String) throws(Fault) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard descriptor >= 0, Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
            throw serverFault("write a file", String(cString: strerror(errno)))
        }
        if let owner { fchown(descriptor, owner.user, owner.group) }
    }
}
