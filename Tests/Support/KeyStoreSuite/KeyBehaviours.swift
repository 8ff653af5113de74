internal import AppAttest
internal import Worker

extension KeyStoreSuite {
    /// What comes back of a key, and what a second attestation changes.
    static var keys: [KeyStoreBehaviour<World>] {
        [
            KeyStoreBehaviour("every field of a key comes back") { world in
                let store = try world.makeStore()
                var odd = Sample.registration(2, signCount: .max, subject: nil)
                odd.key.environment = .development
                odd.platform = nil
                odd.osVersion = nil
                odd.receipt = []
                odd.attestedAt = Instant(milliseconds: -1)
                let registrations = [
                    Sample.registration(1, signCount: 0x8000_0000, subject: "ünïcode 🔑 \\N"),
                    odd, Sample.registration(3, subject: ""),
                ]
                try store.store(BatchWrites(registrations: registrations))
                let found = try store.keys(for: Set(registrations.map(\.key.keyID)))
                for registration in registrations {
                    let keyID = registration.key.keyID
                    try requireEqual(found[keyID], registration.key, "key")
                    try requireEqual(
                        try world.registration(of: keyID), registration, "registration")
                }
            },
            KeyStoreBehaviour("revoked keys and tombstones come back as such") { world in
                let revoked = Sample.registration(1, signCount: 3, status: .revoked)
                let erased = Sample.registration(2, subject: nil, status: .erased)
                try world.put(revoked)
                try world.put(erased)
                let keyIDs = [revoked.key.keyID, erased.key.keyID]
                let store = try world.makeStore()
                try requireEqual(
                    try store.keys(for: Set(keyIDs)),
                    [keyIDs[0]: revoked.key, keyIDs[1]: erased.key], "keys")
                let state = try store.look(
                    BatchReads(partitions: [], keyIDs: Set(keyIDs), requests: []))
                try requireEqual(
                    state.keys, [keyIDs[0]: revoked.key, keyIDs[1]: erased.key], "locked keys")
            },
            KeyStoreBehaviour("unknown keys don't come back") { world in
                try world.put(Sample.registration(1))
                let store = try world.makeStore()
                let found = try store.keys(for: [Sample.keyID(1), Sample.keyID(2)])
                try requireEqual(Array(found.keys), [Sample.keyID(1)], "keys")
                try requireEqual(try store.keys(for: []), [:], "keys of an empty question")
            },
            KeyStoreBehaviour("a second attestation refreshes receipt and metadata alone") {
                world in
                let store = try world.makeStore()
                let first = Sample.registration(1, signCount: 8, status: .revoked)
                try world.put(first)
                var second = Sample.registration(1, signCount: 0, subject: "thief")
                second.key.appID = "OTHERTEAM1.org.example.other"
                second.key.environment = .development
                second.receipt = Array("fresh".utf8)
                second.platform = "macosx"
                second.osVersion = "27.0"
                second.attestedAt = Instant(milliseconds: 1_800_000_000_000)
                try store.store(BatchWrites(registrations: [second]))
                var expected = second
                expected.key = first.key
                try requireEqual(
                    try world.registration(of: Sample.keyID(1)), expected, "registration")
            },
            KeyStoreBehaviour("a tombstone takes nothing back") { world in
                let store = try world.makeStore()
                var erased = Sample.registration(1, subject: nil, status: .erased)
                erased.receipt = []
                erased.platform = nil
                erased.osVersion = nil
                try world.put(erased)
                try store.store(BatchWrites(registrations: [Sample.registration(1)]))
                try requireEqual(
                    try world.registration(of: Sample.keyID(1)), erased, "tombstone")
            },
            KeyStoreBehaviour("days of use and attestation rise, and never fall") { world in
                let store = try world.makeStore()
                try world.put(Sample.registration(1))
                let first = Sample.registration(1).key
                func use(_ used: Int32?, _ attested: Int32?) throws -> StoredKey? {
                    let use = KeyUse(
                        signCount: 0, usedOn: used.map(Day.init), attestedOn: attested.map(Day.init)
                    )
                    try store.store(BatchWrites(uses: [Sample.keyID(1): use]))
                    return try store.keys(for: [Sample.keyID(1)])[Sample.keyID(1)]
                }
                try requireEqual(try use(1, nil), first, "an earlier day of use")
                try requireEqual(try use(nil, nil), first, "no days")
                var expected = first
                expected.reattested = true
                try requireEqual(try use(1, 1), expected, "earlier days")
                try requireEqual(try use(nil, nil), expected, "attested again once and for all")
                expected.lastUsedOn = Day(number: 30_000)
                try requireEqual(try use(30_000, nil), expected, "a later day of use")
                expected.attestedOn = Day(number: 29_999)
                try requireEqual(try use(29_998, 29_999), expected, "a later attestation")
            },
            KeyStoreBehaviour("a window comes back, and what it knows is only added to") { world in
                let store = try world.makeStore()
                try world.put(Sample.registration(1))
                let id = Sample.keyID(1)
                func use(_ count: UInt32, _ window: SeenCounts?) throws -> StoredKey? {
                    let use = KeyUse(signCount: count, window: window)
                    try store.store(BatchWrites(uses: [id: use]))
                    return try store.keys(for: [id])[id]
                }
                // All up to 0 was seen: a bit for each count up to it must stand.
                let first = SeenCounts(highest: 70, bits: 0b0101)
                try requireEqual(try use(70, first)?.window, first, "window")
                let more = try use(70, SeenCounts(highest: 70, bits: 0b0110))?.window
                try requireEqual(more, SeenCounts(highest: 70, bits: 0b0111), "bits")
                try requireEqual(try use(70, nil)?.window, more, "window that is left alone")
                let high = SeenCounts(highest: .max, bits: 1 << 63)
                try requireEqual(try use(.max, high)?.window, high, "the highest bit and count")
            },
            KeyStoreBehaviour("a count raised without a window leaves nothing to be let in") {
                world in
                let store = try world.makeStore()
                try world.put(Sample.registration(1))
                let id = Sample.keyID(1)
                let window = SeenCounts(highest: 70, bits: 0)
                let uses = [KeyUse(signCount: 70, window: window), KeyUse(signCount: 71)]
                for use in uses { try store.store(BatchWrites(uses: [id: use])) }
                let key = try store.keys(for: [id])[id]
                try requireEqual(key?.seen, SeenCounts(allUpTo: 71), "seen counts")
            },
            KeyStoreBehaviour("a thousand keys in one batch keep their own counts") { world in
                let store = try world.makeStore()
                let numbers = 0..<1000
                try store.store(
                    BatchWrites(registrations: numbers.map { Sample.registration($0) }))
                let counts = Dictionary(
                    uniqueKeysWithValues: numbers.map { (Sample.keyID($0), UInt32($0)) })
                try store.store(BatchWrites(signCounts: counts))
                let found = try store.keys(for: Set(counts.keys))
                try requireEqual(found.mapValues(\.signCount), counts, "sign counts")
            },
        ]
    }
}
