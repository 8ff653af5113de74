internal import Worker

extension KeyStoreSuite {
    /// Who owns a partition, and what a former owner can still do.
    static var claims: [KeyStoreBehaviour<World>] {
        [
            KeyStoreBehaviour("a first claim inserts a row at the initial offset") { world in
                let claimed = try world.makeStore().claim([
                    Sample.partition(0): 7, Sample.partition(1): 0,
                ])
                try requireEqual(
                    claimed,
                    [
                        Sample.partition(0): Progress(
                            epoch: 1, nextOffset: 7, publishedOffset: 7,
                            lastTimestampMilliseconds: 0),
                        Sample.partition(1): Progress(
                            epoch: 1, nextOffset: 0, publishedOffset: 0,
                            lastTimestampMilliseconds: 0),
                    ], "claimed rows")
            },
            KeyStoreBehaviour("a later claim raises the epoch and keeps the offset") { world in
                _ = try world.makeStore().claim([Sample.partition(0): 7])
                let claimed = try world.makeStore().claim([Sample.partition(0): 99])
                try requireEqual(
                    claimed[Sample.partition(0)],
                    Progress(
                        epoch: 2, nextOffset: 7, publishedOffset: 7, lastTimestampMilliseconds: 0),
                    "row")
            },
            KeyStoreBehaviour("claiming nothing gives nothing") { world in
                try requireEqual(try world.makeStore().claim([:]), [:], "rows")
            },
            KeyStoreBehaviour("groups have their own progress") { world in
                _ = try world.makeStore(group: "one").claim([Sample.partition(0): 7])
                let claimed = try world.makeStore(group: "two").claim([Sample.partition(0): 3])
                try requireEqual(claimed[Sample.partition(0)]?.nextOffset, 3, "next offset")
            },
            KeyStoreBehaviour("a former owner sees the newer epoch") { world in
                let former = try world.makeStore()
                _ = try former.claim([Sample.partition(0): 0])
                _ = try world.makeStore().claim([Sample.partition(0): 0])
                let seen = try former.transact(.only([Sample.partition(0)])) { state in
                    (writes: nil, result: state.progress[Sample.partition(0)]?.epoch)
                }
                try requireEqual(seen, 2, "epoch")
            },
            KeyStoreBehaviour("writes under an older epoch are fenced and store nothing") {
                world in
                let former = try world.makeStore()
                let mine = try former.claim([Sample.partition(0): 0])
                _ = try world.makeStore().claim([Sample.partition(0): 0])
                try requireFault(.fenced, "writes of a former owner") { () throws(Fault) in
                    try former.transact(.only([Sample.partition(0)])) { _ in
                        (
                            writes: BatchWrites(inbox: [Sample.entry(1)], progress: mine),
                            result: ()
                        )
                    }
                }
                try requireEqual(try world.inboxCount(), 0, "inbox rows")
            },
            KeyStoreBehaviour("one partition under an older epoch fences the whole batch") {
                world in
                let former = try world.makeStore()
                let mine = try former.claim([Sample.partition(0): 0, Sample.partition(1): 0])
                _ = try world.makeStore().claim([Sample.partition(1): 0])
                try requireFault(.fenced, "writes of half a former owner") { () throws(Fault) in
                    try former.transact(.only(Set(mine.keys))) { _ in
                        (writes: BatchWrites(progress: mine.advanced(to: 5)), result: ())
                    }
                }
                let kept = try world.makeStore().claim([Sample.partition(0): 0])
                try requireEqual(kept[Sample.partition(0)]?.nextOffset, 0, "next offset")
            },
            KeyStoreBehaviour("progress in a partition that nobody claimed is fenced") { world in
                let store = try world.makeStore()
                let unclaimed = [
                    Sample.partition(3): Progress(
                        epoch: 1, nextOffset: 1, publishedOffset: 1, lastTimestampMilliseconds: 1)
                ]
                try requireFault(.fenced, "writes without a claim") { () throws(Fault) in
                    try store.transact(.only([Sample.partition(3)])) { state in
                        (writes: BatchWrites(progress: unclaimed), result: ())
                    }
                }
            },
            KeyStoreBehaviour("a reset moves a claimed partition backwards") { world in
                let store = try world.makeStore()
                var mine = try store.claim([Sample.partition(0): 50])
                try store.transact(.only([Sample.partition(0)])) { _ in
                    (writes: BatchWrites(progress: mine.advanced(to: 60)), result: ())
                }
                mine[Sample.partition(0)]?.nextOffset = 2
                try store.reset(mine)
                let row = try store.claim([Sample.partition(0): 0])[Sample.partition(0)]
                try requireEqual(
                    row,
                    Progress(
                        epoch: 2, nextOffset: 2, publishedOffset: 2, lastTimestampMilliseconds: 0),
                    "row")
            },
            KeyStoreBehaviour("a reset under an older epoch is fenced") { world in
                let former = try world.makeStore()
                let mine = try former.claim([Sample.partition(0): 50])
                _ = try world.makeStore().claim([Sample.partition(0): 0])
                try requireFault(.fenced, "reset by a former owner") { () throws(Fault) in
                    try former.reset(mine)
                }
            },
        ]
    }
}

extension BatchReads {
    /// Progress rows alone.
    static func only(_ partitions: Set<TopicPartition>) -> BatchReads {
        BatchReads(partitions: partitions, keyIDs: [], requests: [])
    }
}

extension [TopicPartition: Progress] {
    /// The same epochs with another offset; the timestamp is a thousand times the offset.
    func advanced(to nextOffset: Int64) -> Self {
        mapValues {
            Progress(
                epoch: $0.epoch, nextOffset: nextOffset, publishedOffset: $0.publishedOffset,
                lastTimestampMilliseconds: nextOffset * 1000)
        }
    }
}
