internal import AppAttest
internal import Worker

extension KeyStoreSuite {
    /// All of a batch or nothing, and never backwards.
    static var transactions: [KeyStoreBehaviour<World>] {
        [
            KeyStoreBehaviour("all parts of a batch are stored together") { world in
                let store = try world.makeStore()
                let mine = try store.claim([Sample.partition(0): 0])
                let reads = BatchReads(
                    partitions: [Sample.partition(0)], keyIDs: [Sample.keyID(1)],
                    requests: [Sample.request(1)])
                let answer = try store.transact(reads) { state in
                    (
                        writes: BatchWrites(
                            inbox: [Sample.entry(1)], registrations: [Sample.registration(1)],
                            signCounts: [Sample.keyID(1): 4], progress: mine.advanced(to: 1)),
                        result: state.keys.isEmpty && state.inbox.isEmpty ? "decided" : "dirty"
                    )
                }
                try requireEqual(answer, "decided", "result")
                let state = try world.makeStore().look(reads)
                try requireEqual(state.keys[Sample.keyID(1)]?.signCount, 4, "sign count")
                try requireEqual(state.inbox, [Sample.request(1): Sample.entry(1)], "inbox")
                try requireEqual(state.progress, mine.advanced(to: 1), "progress")
            },
            KeyStoreBehaviour("no writes roll back and still give the result") { world in
                let store = try world.makeStore()
                let result = try store.transact(.only([])) { _ in (writes: nil, result: 42) }
                try requireEqual(result, 42, "result")
                try requireEqual(try world.inboxCount(), 0, "inbox rows")
            },
            KeyStoreBehaviour("empty writes are a batch too") { world in
                let store = try world.makeStore()
                let result = try store.transact(.only([])) { _ in
                    (writes: BatchWrites(), result: 42)
                }
                try requireEqual(result, 42, "result")
            },
            KeyStoreBehaviour("neither a sign count nor progress is ever lowered") { world in
                let store = try world.makeStore()
                let mine = try store.claim([Sample.partition(0): 0])
                try world.put(Sample.registration(1, signCount: 9))
                let reads = BatchReads(
                    partitions: [Sample.partition(0)], keyIDs: [Sample.keyID(1)], requests: [])
                for step in [Int64(9), 3] {
                    try store.transact(reads) { _ in
                        (
                            writes: BatchWrites(
                                signCounts: [Sample.keyID(1): UInt32(step)],
                                progress: mine.advanced(to: step)),
                            result: ()
                        )
                    }
                }
                let state = try store.look(reads)
                try requireEqual(state.keys[Sample.keyID(1)]?.signCount, 9, "sign count")
                try requireEqual(state.progress, mine.advanced(to: 9), "progress")
            },
            KeyStoreBehaviour("a request that is stored already rolls the batch back") { world in
                let store = try world.makeStore()
                let mine = try store.claim([Sample.partition(0): 0])
                try store.store(BatchWrites(inbox: [Sample.entry(1)]))
                // It was not asked for, so the batch could not know.
                try requireFault(.retry, "second insert") { () throws(Fault) in
                    try store.transact(.only([Sample.partition(0)])) { _ in
                        (
                            writes: BatchWrites(
                                inbox: [Sample.entry(1), Sample.entry(2)],
                                progress: mine.advanced(to: 2)),
                            result: ()
                        )
                    }
                }
                try requireEqual(try world.inboxCount(), 1, "inbox rows")
                let state = try store.look(.only([Sample.partition(0)]))
                try requireEqual(state.progress, mine, "progress")
            },
            KeyStoreBehaviour("a key registered elsewhere meanwhile rolls the batch back") {
                world in
                let (slow, fast) = (try world.makeStore(), try world.makeStore())
                let reads = BatchReads(
                    partitions: [], keyIDs: [Sample.keyID(1)], requests: [Sample.request(1)])
                var inner: Result<Void, Fault>?
                try requireFault(.retry, "the later insert") { () throws(Fault) in
                    try slow.transact(reads) { _ in
                        inner = Result { () throws(Fault) in
                            try fast.store(
                                BatchWrites(
                                    registrations: [Sample.registration(1, subject: "first")],
                                    signCounts: [Sample.keyID(1): 5]))
                        }
                        return (
                            writes: BatchWrites(
                                inbox: [Sample.entry(1)],
                                registrations: [Sample.registration(1, subject: "second")]),
                            result: ()
                        )
                    }
                }
                try inner?.get()
                let state = try slow.look(reads)
                try requireEqual(state.keys[Sample.keyID(1)]?.subject, "first", "subject")
                try requireEqual(state.keys[Sample.keyID(1)]?.signCount, 5, "sign count")
                try requireEqual(state.inbox, [:], "inbox")
            },
            KeyStoreBehaviour("a sign count of a key that is not stored is an internal fault") {
                world in
                let store = try world.makeStore()
                try requireFault(.stop(.software), "raise without a row") { () throws(Fault) in
                    try store.store(
                        BatchWrites(
                            inbox: [Sample.entry(1)], signCounts: [Sample.keyID(1): 1]))
                }
                try requireEqual(try world.inboxCount(), 0, "inbox rows")
            },
            KeyStoreBehaviour("a text with NUL poisons its batch, and only that") { world in
                let store = try world.makeStore()
                var poisoned = Sample.registration(1)
                poisoned.key.subject = "a\u{0}b"
                let writes = BatchWrites(
                    inbox: [Sample.entry(1)], registrations: [Sample.registration(2), poisoned])
                try requireFault(.poison, "NUL") { () throws(Fault) in
                    try store.store(writes)
                }
                try requireEqual(try world.inboxCount(), 0, "inbox rows")
                try store.store(
                    BatchWrites(
                        inbox: [Sample.entry(1)], registrations: [Sample.registration(2)]))
                try requireEqual(try world.inboxCount(), 1, "inbox rows")
            },
        ]
    }
}

extension KeyStore {
    /// Reads under lock and rolls back.
    func look(_ reads: BatchReads) throws(Fault) -> BatchState {
        try transact(reads) { state in (writes: nil, result: state) }
    }

    /// Locks the keys concerned and stores.
    func store(_ writes: BatchWrites) throws(Fault) {
        let keyIDs = Set(writes.registrations.map(\.key.keyID)).union(writes.uses.keys)
        let reads = BatchReads(partitions: [], keyIDs: keyIDs, requests: [])
        try transact(reads) { _ in (writes: writes, result: ()) }
    }
}
