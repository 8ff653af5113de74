internal import FoundationEssentials

extension Database {
    /// Who is at work; each has the rights of `schemas/roles.sql` alone.
    package enum Role: String, CaseIterable, Sendable {
        case worker
        case `operator`
        case reader

        /// The role that logs in.
        package var login: String { "test_\(rawValue)" }
    }

    /// Where it is, for a role with least rights.
    package func conninfo(as role: Role) -> String {
        conninfo.replacing("user=postgres", with: "user=\(role.login)")
    }

    /// Applies `schemas/roles.sql`, and makes a role of each kind that can log in.
    ///
    /// Rights are a database's own and go with its copies; roles are the server's.
    package func applyRoles() async throws {
        let path = repositoryRoot.appending(path: "schemas/roles.sql").path
        guard let script = FileManager.default.contents(atPath: path) else {
            throw HarnessFailure("\(path) can't be read")
        }
        // Twice, as an operator does after each migration.
        for _ in 0..<2 { try await query(String(decoding: script, as: UTF8.self)) }
        for role in Role.allCases {
            // Another database of the server may have made it.
            let known = "SELECT 1 FROM pg_roles WHERE rolname = '\(role.login)'"
            guard try await query(known).isEmpty else { continue }
            try await query("CREATE ROLE \(role.login) LOGIN IN ROLE attest_\(role.rawValue)")
        }
    }
}

private let repositoryRoot = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
