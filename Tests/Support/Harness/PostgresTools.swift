internal import FoundationEssentials
internal import Glibc
package import PostgresStore

/// Programs beside a temporary server, run as the user who owns its files.
package enum PostgresTools {
    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - arguments: the program, one of the server's or found on the PATH, and its arguments.
    ///   - server: whose user runs it, in whose folder.
    ///   - folder: where its output goes.
    /// - Throws: ``HarnessFailure`` when it does not end with 0.
    package static func run(
        _ arguments: [String], beside server: TemporaryPostgres, folder: Folder
    ) async throws {
        var information = stat()
        guard stat(server.folder, &information) == 0, let name = arguments.first else {
            throw HarnessFailure("\(server.folder) is not there")
        }
        var command = ["--chdir=" + server.folder]
        if geteuid() == 0 {
            command += [
                "setpriv", "--reuid=\(information.st_uid)", "--regid=\(information.st_gid)",
                "--clear-groups", "--",
            ]
        }
        let path = "\(binaries ?? "")/\(name)"
        command += [access(path, X_OK) == 0 ? path : name] + arguments.dropFirst()
        let process = try await ChildProcess.start("env", command, folder: folder, name: name)
        let end = try await process.waitForEnd(within: .seconds(60))
        guard end == .exited(0) else { throw HarnessFailure("\(arguments): \(end); \(process)") }
    }

    /// The folder of the newest server's programs.
    private static var binaries: String? {
        let parent = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        return versions.compactMap(Int.init).max().map { "\(parent)/\($0)/bin" }
    }
}
