package import AppAttest
package import Worker

/// A database under test with the back doors that the suite needs beside its stores.
package protocol KeyStoreWorld: Sendable {
    /// The store under test.
    associatedtype Store: KeyStore & SendableMetatype

    /// What operators' commands use, under test.
    associatedtype Register: KeyRegister & SendableMetatype

    /// What refreshers use, under test.
    associatedtype Receipts: ReceiptStore & SendableMetatype

    /// A new connection for a refresher.
    func makeReceipts() throws -> Receipts

    /// A new connection for an operator's commands.
    func makeRegister() throws -> Register

    /// A new connection to this world's database.
    ///
    /// It keeps inbox rows for ``KeyStoreSuite/retentionDays`` days.
    func makeStore(group: String) throws -> Store

    /// Inserts a key or overwrites all of it, as an operator would.
    func put(_ registration: KeyRegistration) throws

    /// All that is stored of a key.
    func registration(of keyID: KeyID) throws -> KeyRegistration?

    /// How many inbox rows there are.
    func inboxCount() throws -> Int

    /// Makes all inbox rows look so many days older.
    func ageInbox(days: Int) throws
}

extension KeyStoreWorld {
    /// A new connection in the group that most behaviours use.
    package func makeStore() throws -> Store {
        try makeStore(group: "group")
    }
}

/// A world in memory.
package struct InMemoryWorld: KeyStoreWorld {
    /// Its database.
    package let database = InMemoryDatabase()

    /// An empty world.
    package init() {}

    package func makeStore(group: String) -> InMemoryKeyStore {
        InMemoryKeyStore(database, group: group, retentionDays: suiteRetentionDays)
    }

    package func makeReceipts() -> InMemoryReceiptStore {
        InMemoryReceiptStore(database)
    }

    package func makeRegister() -> InMemoryKeyRegister {
        InMemoryKeyRegister(database)
    }

    package func put(_ registration: KeyRegistration) {
        database.change { $0.keys[registration.key.keyID] = registration }
    }

    package func registration(of keyID: KeyID) -> KeyRegistration? {
        database.rows.keys[keyID]
    }

    package func inboxCount() -> Int {
        database.rows.inbox.count
    }

    package func ageInbox(days: Int) {
        database.change { $0.today += days }
    }
}
