import KeyStoreSuite
import Testing
import Worker

@testable import PostgresStore

/// The store on PostgreSQL, on a real server.
@Suite(.serialized) struct PostgresKeyStoreTests {
    @Test(arguments: KeyStoreSuite<TestDatabase>.behaviours)
    func `the store on PostgreSQL keeps to the contract`(
        _ behaviour: KeyStoreBehaviour<TestDatabase>
    ) throws {
        try behaviour.run(TestDatabase())
    }
}
