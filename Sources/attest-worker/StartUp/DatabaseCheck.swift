import AppAttest
import LibCrypto
import PostgresStore
import Worker

/// The part of the start-up check that asks the database.
enum DatabaseCheck {
    /// Asks for the schema and for what of the server's settings matters, and tries a session.
    ///
    /// - Parameters:
    ///   - settings: the settings.
    ///   - process: what this process has to live on.
    ///   - owner: who asks, for people who look at the server's sessions.
    /// - Returns: what was found.
    static func findings(
        _ settings: Settings, _ process: ProcessFacts, owner: String
    ) -> [Finding] {
        let postgres = PostgresSettings(settings, owner: owner)
        do throws(Fault) {
            let schema = finding(on: try Migrations.state(postgres))
            guard schema.weight == .fine else { return [schema] }
            let facts = CrossChecks(settings).ofDatabase(
                try ServerCheck.facts(postgres), process)
            // What the session is refused for was found already, and is told better there.
            guard facts.exitCode == .success else { return [schema] + facts }
            return [schema] + facts + [session(postgres)]
        } catch {
            return [.failure("database", error)]
        }
    }

    private static func finding(on state: SchemaState) -> Finding {
        let subject = "database schema"
        return switch state {
        case .current:
            .fine(subject, "as this version needs it")
        case .ahead(let version):
            .fine(
                subject,
                "at step \(version), made by a newer version; this one works with it")
        case .behind(let missing):
            .failure(
                subject, .incompatible,
                "lacks \(missing.map(\.name).joined(separator: ", ")):"
                    + " run `attest-worker migrate`")
        case .altered(let version):
            .failure(
                subject, .incompatible,
                "step \(version) was made from another text: is this the right database?")
        }
    }

    /// Opens a session as a lane does, locks what isn't there, and rolls back: the server must take
    /// writes, and the role must have its rights.
    private static func session(_ settings: PostgresSettings) -> Finding {
        let subject = "database session"
        let store = PostgresKeyStore(settings)
        defer { store.close() }
        let nothing = SHA256.hash(Array("attest-worker check".utf8))
        let reads = BatchReads(
            partitions: [], keyIDs: [KeyID(nothing)], requests: [RequestIdentity(nothing)])
        do throws(Fault) {
            try store.transact(reads) { _ in (writes: nil, result: ()) }
            return .fine(subject, "takes writes, rights are there")
        } catch {
            return .failure(subject, error)
        }
    }
}
