internal import Worker

extension KeyStoreSuite {
    /// What was decided is remembered, byte for byte, for as long as promised.
    static var inboxes: [KeyStoreBehaviour<World>] {
        [
            KeyStoreBehaviour("a verdict comes back byte for byte") { world in
                let store = try world.makeStore()
                var entry = Sample.entry(1)
                entry.verdict = Array(UInt8.min...UInt8.max)
                var empty = Sample.entry(2)
                empty.verdict = []
                try store.store(BatchWrites(inbox: [empty, entry]))
                let state = try world.makeStore().look(
                    .requests([Sample.request(1), Sample.request(2), Sample.request(3)]))
                try requireEqual(
                    state.inbox, [Sample.request(1): entry, Sample.request(2): empty], "inbox")
            },
            KeyStoreBehaviour("a request decided in one group is known in every other") { world in
                try world.makeStore(group: "one").store(BatchWrites(inbox: [Sample.entry(1)]))
                let state = try world.makeStore(group: "two").look(.requests([Sample.request(1)]))
                try requireEqual(state.inbox[Sample.request(1)], Sample.entry(1), "entry")
            },
            KeyStoreBehaviour("a request stored on an earlier day is still stored once") { world in
                let store = try world.makeStore()
                try store.store(BatchWrites(inbox: [Sample.entry(1)]))
                try world.ageInbox(days: 1)
                try requireFault(.retry, "insert on the next day") { () throws(Fault) in
                    try store.store(BatchWrites(inbox: [Sample.entry(1)]))
                }
                try requireEqual(try world.inboxCount(), 1, "inbox rows")
            },
            KeyStoreBehaviour("pruning deletes what is past the retention and nothing else") {
                world in
                let store = try world.makeStore()
                try store.store(BatchWrites(inbox: [Sample.entry(1), Sample.entry(2)]))
                try world.ageInbox(days: 1)
                try store.store(BatchWrites(inbox: [Sample.entry(3)]))
                try world.ageInbox(days: suiteRetentionDays - 1)
                try requireEqual(try store.pruneInbox(rowsMax: 100), 0, "deleted in time")
                try world.ageInbox(days: 1)
                try requireEqual(try store.pruneInbox(rowsMax: 100), 2, "deleted after it")
                let state = try store.look(
                    .requests([Sample.request(1), Sample.request(2), Sample.request(3)]))
                try requireEqual(state.inbox, [Sample.request(3): Sample.entry(3)], "inbox")
            },
            KeyStoreBehaviour("pruning is bounded") { world in
                let store = try world.makeStore()
                try store.store(BatchWrites(inbox: (0..<25).map(Sample.entry)))
                try world.ageInbox(days: suiteRetentionDays + 1)
                var deleted: [Int] = []
                for _ in 0..<4 { deleted.append(try store.pruneInbox(rowsMax: 10)) }
                try requireEqual(deleted, [10, 10, 5, 0], "deleted")
            },
            KeyStoreBehaviour("a closed store can be closed again") { world in
                let store = try world.makeStore()
                _ = try store.claim([Sample.partition(0): 0])
                store.close()
                store.close()
                try requireEqual(try world.inboxCount(), 0, "inbox rows")
            },
        ]
    }
}

extension BatchReads {
    /// Inbox rows alone.
    static func requests(_ requests: Set<RequestIdentity>) -> BatchReads {
        BatchReads(partitions: [], keyIDs: [], requests: requests)
    }
}
