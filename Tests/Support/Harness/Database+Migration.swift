extension Database {
    /// Has `attest-worker migrate` put the schema in place, and makes the roles.
    ///
    /// - Parameter folder: where the command's output goes.
    /// - Throws: ``HarnessFailure`` with the command's words.
    package func migrate(_ folder: Folder) async throws {
        let migration = try await ChildProcess.start(
            BuildProducts.executable("attest-worker"),
            ["migrate", "--postgres.connection=\(conninfo)"], folder: folder, name: "migrate")
        let end = try await migration.waitForEnd(within: .seconds(60))
        guard end == .exited(0) else { throw HarnessFailure("migrate: \(end); \(migration)") }
        try await applyRoles()
    }
}
