import Harness
import PostgresStore

extension SoakStriker {
    /// How often a connection is cut in a row.
    private static let cutsMax = 5

    func strikeDatabase(_ kind: FaultKind, _ dice: Dice) async throws {
        let pause = dice.seconds(0, 6)
        switch kind {
        case .restart:
            try await servers.stopDatabase()
            try await Task.sleep(for: pause)
            try await servers.startDatabase()
        case .crash:
            try await servers.crashDatabase(downFor: pause)
        case .readonly:
            // What a worker sees of a primary that was demoted: it answers, and refuses writes.
            try await setReadOnly("on")
            try await Task.sleep(for: dice.seconds(1, 8))
            try await setReadOnly("off")
        case .inDoubt:
            for number in 0..<dice.count(Self.cutsMax) {
                let isAfter = (dice.choice >> UInt64(number)) & 3 != 0
                servers.proxy.set(isAfter ? .cutAfterCommit : .cutBeforeCommit)
                try await Task.sleep(for: .milliseconds(400))
            }
            servers.proxy.set(.pass)
        case .silent:
            // Longer than the reply timeout of 15 s, at times.
            servers.proxy.set(.silent)
            try await Task.sleep(for: dice.seconds(1, 20))
            servers.proxy.set(.pass)
        case .terminate:
            for _ in 0..<dice.count(Self.cutsMax) {
                try await servers.persistentQuery(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                        + "WHERE application_name LIKE 'worker-%'")
                try await Task.sleep(for: .milliseconds(200))
            }
        case .locks:
            try await hold("PERFORM 1 FROM attest.keys FOR UPDATE", for: dice.seconds(1, 6))
        case .statements:
            try await hold(
                "LOCK TABLE attest.inbox IN ACCESS EXCLUSIVE MODE", for: dice.seconds(1, 5))
        default: return
        }
    }

    private func setReadOnly(_ value: String) async throws {
        try await servers.persistentQuery(
            "ALTER SYSTEM SET default_transaction_read_only = \(value)")
        try await servers.persistentQuery("SELECT pg_reload_conf()")
    }

    /// Keeps locks in one transaction for a while.
    ///
    /// A worker that holds some of them may win: then it is tried again.
    func hold(_ statement: String, for duration: Duration) async throws {
        let seconds = duration / .seconds(1)
        try await servers.persistentQuery(
            "DO $$ BEGIN \(statement); PERFORM pg_sleep(\(seconds)); END $$")
    }
}
