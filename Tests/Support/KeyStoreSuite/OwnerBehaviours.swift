internal import AppAttest
internal import Worker

extension KeyStoreSuite {
    private static var app: String { Sample.registration(0).key.appID }

    /// How the keys of owners are counted.
    static var owners: [KeyStoreBehaviour<World>] {
        [
            KeyStoreBehaviour("an owner's keys are counted, up to as many as matter") { world in
                for number in 0..<4 { try world.put(Sample.registration(number, subject: "ann")) }
                try world.put(Sample.registration(4, subject: "Ann"))
                try world.put(Sample.registration(5, subject: nil))
                try world.put(Sample.registration(6, subject: "ann", status: .revoked))
                var elsewhere = Sample.registration(7, subject: "ann")
                elsewhere.key.appID = "OTHERTEAM1.org.example.other"
                try world.put(elsewhere)
                let ann = KeyOwner(appID: app, subject: "ann")
                let nobody = KeyOwner(appID: app, subject: "nobody")
                let few = KeyOwner(appID: app, subject: "Ann")
                let reads = BatchReads(
                    partitions: [], keyIDs: [], requests: [],
                    owners: [ann: 100, nobody: 3, few: 3])
                let owned = try world.makeStore().transact(reads) { state in
                    (writes: nil, result: state.owned)
                }
                try requireEqual(
                    owned.mapValues(\.count), [ann: 5, nobody: 0, few: 1], "counted")
                let most = BatchReads(
                    partitions: [], keyIDs: [], requests: [], owners: [ann: 2])
                let newest = try world.makeStore().transact(most) { state in
                    (writes: nil, result: state.owned[ann]?.count)
                }
                try requireEqual(newest, 2, "counted no further than matters")
            },
            KeyStoreBehaviour("owners are compared byte by byte") { world in
                let composed = "caf\u{E9}"
                let decomposed = "cafe\u{301}"
                try world.put(Sample.registration(1, subject: composed))
                let owners = [
                    KeyOwner(appID: app, subject: composed): 9,
                    KeyOwner(appID: app, subject: decomposed): 9,
                ]
                let reads = BatchReads(
                    partitions: [], keyIDs: [], requests: [], owners: owners)
                let counts = try world.makeStore().transact(reads) { state in
                    (writes: nil, result: state.owned.map(\.value.count).sorted())
                }
                try requireEqual(counts, [0, 1], "two owners")
            },
            KeyStoreBehaviour("erased keys have no owner") { world in
                try world.put(Sample.registration(1, subject: "ann"))
                _ = try world.makeRegister().apply(.erase, to: [Sample.keyID(1)])
                let ann = KeyOwner(appID: app, subject: "ann")
                let reads = BatchReads(partitions: [], keyIDs: [], requests: [], owners: [ann: 9])
                let owned = try world.makeStore().transact(reads) { state in
                    (writes: nil, result: state.owned[ann])
                }
                try requireEqual(owned, [], "keys")
            },
        ]
    }

    /// How a key is given to another owner.
    static var moving: [KeyStoreBehaviour<World>] {
        [
            KeyStoreBehaviour("a moved key changes its owner and nothing else") { world in
                let registration = Sample.registration(1, signCount: 7, subject: "ann")
                try world.put(registration)
                let register = try world.makeRegister()
                let move = KeyChange.move(to: "bob", reason: "sold")
                let first = try register.apply(move, to: [Sample.keyID(1), Sample.keyID(2)])
                try requireEqual(
                    first, [Sample.keyID(1): .moved, Sample.keyID(2): .unknown], "first")
                try requireEqual(
                    try register.apply(move, to: [Sample.keyID(1)]),
                    [Sample.keyID(1): .ownedBefore], "again")
                var moved = registration
                moved.key.subject = "bob"
                try requireEqual(
                    try world.registration(of: Sample.keyID(1)), moved, "registration")
                let record = try register.records(of: [Sample.keyID(1)])[Sample.keyID(1)]
                try requireEqual(record?.lastMove?.reason, "sold", "reason")
                _ = try register.apply(
                    .move(to: "eve", reason: "sold again"), to: [Sample.keyID(1)])
                let again = try register.records(of: [Sample.keyID(1)])[Sample.keyID(1)]
                try requireEqual(again?.lastMove?.reason, "sold again", "the last reason")
            },
            KeyStoreBehaviour("revoked and erased keys are not moved") { world in
                try world.put(Sample.registration(1, subject: "ann"))
                try world.put(Sample.registration(2, subject: "ann"))
                let register = try world.makeRegister()
                _ = try register.apply(.revoke(reason: "lost"), to: [Sample.keyID(1)])
                _ = try register.apply(.erase, to: [Sample.keyID(2)])
                let outcomes = try register.apply(
                    .move(to: "bob", reason: "sold"), to: [Sample.keyID(1), Sample.keyID(2)])
                try requireEqual(
                    outcomes,
                    [
                        Sample.keyID(1): .unchanged(.revoked),
                        Sample.keyID(2): .unchanged(.erased),
                    ], "outcomes")
            },
            KeyStoreBehaviour("an erasure takes the reason of a move along") { world in
                try world.put(Sample.registration(1, subject: "ann"))
                let register = try world.makeRegister()
                _ = try register.apply(
                    .move(to: "bob", reason: "Ann sold it"), to: [Sample.keyID(1)])
                _ = try register.apply(.erase, to: [Sample.keyID(1)])
                let record = try register.records(of: [Sample.keyID(1)])[Sample.keyID(1)]
                try require(record?.lastMove != nil, "that it was moved is still known")
                try requireEqual(record?.lastMove?.reason, nil, "reason")
            },
        ]
    }
}
