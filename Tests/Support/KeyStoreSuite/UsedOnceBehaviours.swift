internal import AppAttest
internal import Worker

extension KeyStoreSuite {
    /// What may be used once is used by one transaction, whoever else tries.
    static var usedOnce: [KeyStoreBehaviour<World>] {
        [
            KeyStoreBehaviour("what was used is found used, in every group") { world in
                try world.makeStore(group: "one").store(.using(1, 2))
                let state = try world.makeStore(group: "two").look(.once(2, 3))
                try requireEqual(state.used, [Sample.once(2).id], "used")
            },
            KeyStoreBehaviour("what another one used meanwhile rolls the batch back") { world in
                let (slow, fast) = (try world.makeStore(), try world.makeStore())
                var inner: Result<Void, Fault>?
                try requireFault(.retry, "the later use") { () throws(Fault) in
                    try slow.transact(.once(1)) { state in
                        inner = Result { () throws(Fault) in try fast.store(.using(1)) }
                        var writes = BatchWrites.using(1, 2)
                        writes.inbox = [Sample.entry(1)]
                        return (writes: writes, result: ())
                    }
                }
                try inner?.get()
                let state = try slow.look(.once(1, 2))
                try requireEqual(state.used, [Sample.once(1).id], "used")
                try requireEqual(try world.inboxCount(), 0, "inbox rows")
            },
            KeyStoreBehaviour("a batch that is rolled back uses nothing") { world in
                let store = try world.makeStore()
                try store.transact(.once(1)) { _ in (writes: nil, result: ()) }
                try requireEqual(try store.look(.once(1)).used, [], "used")
            },
            KeyStoreBehaviour("what has long expired is forgotten, in steps, and nothing else") {
                world in
                let store = try world.makeStore()
                try store.store(.using(1, 2, 3, 4))
                func prune(_ number: Int) throws(Fault) -> Int {
                    try store.pruneUsed(expiredBefore: Sample.once(number).expiry, rowsMax: 2)
                }
                try requireEqual(try prune(1), 0, "deleted in time")
                try requireEqual(try prune(4), 2, "deleted at once")
                try requireEqual(try prune(4), 1, "deleted then")
                try requireEqual(try prune(4), 0, "deleted at last")
                let state = try store.look(.once(1, 2, 3, 4))
                try requireEqual(state.used, [Sample.once(4).id], "used")
            },
        ]
    }
}

extension Sample {
    /// Something that may be used once; it expires later than those of lower numbers.
    static func once(_ number: Int) -> UsedOnce {
        UsedOnce(
            id: digest("once", number),
            expiry: Instant(milliseconds: 1_790_000_000_000 + Int64(number)))
    }
}

extension BatchReads {
    /// What is used alone.
    fileprivate static func once(_ numbers: Int...) -> BatchReads {
        var reads = BatchReads(partitions: [], keyIDs: [], requests: [])
        reads.once = Set(numbers.map { Sample.once($0).id })
        return reads
    }
}

extension BatchWrites {
    /// What is used alone.
    fileprivate static func using(_ numbers: Int...) -> BatchWrites {
        var writes = BatchWrites()
        writes.once = numbers.map(Sample.once)
        return writes
    }
}
