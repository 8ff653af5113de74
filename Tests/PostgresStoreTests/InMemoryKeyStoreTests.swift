import KeyStoreSuite
import Testing
import Worker

/// The store in memory is what the lane's tests trust.
@Suite struct InMemoryKeyStoreTests {
    @Test(arguments: KeyStoreSuite<InMemoryWorld>.behaviours)
    func `the store in memory keeps to the contract`(
        _ behaviour: KeyStoreBehaviour<InMemoryWorld>
    ) throws {
        try behaviour.run(InMemoryWorld())
    }

    @Test(arguments: [StoreMoment.before, .after])
    func `a death around the commit tells what was stored`(_ moment: StoreMoment) throws {
        let database = InMemoryDatabase()
        let store = InMemoryKeyStore(database) { (step, when) throws(Fault) in
            if step == .commit, when == moment { throw .crash(step, when) }
        }
        let fault = #expect(throws: Fault.self) {
            try store.transact(
                BatchReads(partitions: [], keyIDs: [], requests: [Sample.request(1)])
            ) { _ in (writes: BatchWrites(inbox: [Sample.entry(1)]), result: ()) }
        }
        #expect(fault?.code == Fault.crashCode)
        #expect(database.rows.inbox.count == (moment == .before ? 0 : 1))
    }

    @Test func `a death in a transaction gives its locks back`() throws {
        let database = InMemoryDatabase()
        _ = try InMemoryKeyStore(database).claim([Sample.partition(0): 0])
        let reads = BatchReads(
            partitions: [Sample.partition(0)], keyIDs: [], requests: [])
        let dying = InMemoryKeyStore(database) { (step, when) throws(Fault) in
            if step == .begin, when == .after { throw .crash(step, when) }
        }
        #expect(throws: Fault.self) {
            try dying.transact(reads) { _ in (writes: nil, result: ()) }
        }
        let seen = try InMemoryKeyStore(database).transact(reads) { state in
            (writes: nil, result: state.progress.count)
        }
        #expect(seen == 1)
    }
}
