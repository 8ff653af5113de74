internal import AppAttest
internal import Wire
internal import Worker

extension KeyStoreSuite {
    /// What operators' commands see and change, beside the stores of workers.
    static var registers: [KeyStoreBehaviour<World>] {
        listing + withdrawing + moving + erasing
    }

    private static var listing: [KeyStoreBehaviour<World>] {
        [
            KeyStoreBehaviour("an operator sees all that is stored of a key") { world in
                let registration = Sample.registration(1, signCount: 7)
                try world.put(registration)
                let found = try world.makeRegister().records(
                    of: [Sample.keyID(1), Sample.keyID(2)])
                try requireEqual(Set(found.keys), [Sample.keyID(1)], "keys")
                let record = found[Sample.keyID(1)]
                try requireEqual(record?.key, registration.key, "key")
                try requireEqual(
                    record?.attestation,
                    KeyRecord.Attestation(
                        at: registration.attestedAt, platform: "iphoneos", osVersion: "18.1",
                        receiptBytes: registration.receipt.count), "attestation")
                try requireEqual(record?.withdrawal, nil, "withdrawal")
            },
            KeyStoreBehaviour("pages hold each key once, in order") { world in
                for number in 0..<25 { try world.put(Sample.registration(number)) }
                let register = try world.makeRegister()
                var seen: [KeyID] = []
                for size in [10, 10, 5, 0] {
                    let page = try register.list(KeyFilter(), after: seen.last, limit: 10)
                    try requireEqual(page.count, size, "a page's size")
                    seen += page.map(\.key.keyID)
                }
                try requireEqual(seen, (0..<25).map(Sample.keyID).sorted(), "keys")
            },
            KeyStoreBehaviour("a filter lets pass what fulfils all of it") { world in
                for number in 0..<4 { try world.put(Sample.registration(number)) }
                var other = Sample.registration(4, subject: "other", status: .revoked)
                other.key.environment = .development
                other.key.appID = "OTHERTEAM1.org.example.other"
                try world.put(other)
                let register = try world.makeRegister()
                func count(_ set: (inout KeyFilter) -> Void) throws(Fault) -> Int {
                    var filter = KeyFilter()
                    set(&filter)
                    return try register.list(filter, after: nil, limit: 100).count
                }
                try requireEqual(try count { $0.appID = other.key.appID }, 1, "of the app")
                try requireEqual(try count { $0.environment = .production }, 4, "of production")
                try requireEqual(try count { $0.status = .revoked }, 1, "revoked")
                try requireEqual(try count { $0.status = .erased }, 0, "erased")
                try requireEqual(try count { $0.subject = "other" }, 1, "of the subject")
                let none = try count {
                    $0.subject = "other"
                    $0.status = .active
                }
                try requireEqual(none, 0, "of the subject and active")
                try requireEqual(
                    try count { $0.since = Instant(milliseconds: 0) }, 5, "since 1970")
                try requireEqual(
                    try count { $0.since = Instant(milliseconds: 32_503_680_000_000) }, 0,
                    "since the year 3000")
            },
        ]
    }

    private static var withdrawing: [KeyStoreBehaviour<World>] {
        [
            KeyStoreBehaviour("a revocation keeps all but the status, and the first reason") {
                world in
                let registration = Sample.registration(1, signCount: 7)
                try world.put(registration)
                let register = try world.makeRegister()
                let first = try register.apply(.revoke(reason: "lost"), to: [Sample.keyID(1)])
                try requireEqual(first, [Sample.keyID(1): .changed(.revoked)], "first")
                let second = try register.apply(.revoke(reason: "sold"), to: [Sample.keyID(1)])
                try requireEqual(second, [Sample.keyID(1): .unchanged(.revoked)], "second")
                var revoked = registration
                revoked.key.status = .revoked
                try requireEqual(
                    try world.registration(of: Sample.keyID(1)), revoked, "registration")
                let record = try register.records(of: [Sample.keyID(1)])[Sample.keyID(1)]
                try requireEqual(record?.withdrawal?.reason, "lost", "reason")
            },
            KeyStoreBehaviour("a dry run tells and changes nothing") { world in
                let registration = Sample.registration(1)
                try world.put(registration)
                let register = try world.makeRegister()
                for change in [KeyChange.revoke(reason: "lost"), .erase] {
                    let outcomes = try register.apply(
                        change, to: [Sample.keyID(1)], isDryRun: true)
                    guard case .changed = outcomes[Sample.keyID(1)] else {
                        throw BehaviourViolation(description: "the dry run foresees no change")
                    }
                }
                try requireEqual(
                    try world.registration(of: Sample.keyID(1)), registration, "registration")
            },
            KeyStoreBehaviour("keys of other apps and unknown ones are left alone") { world in
                let registration = Sample.registration(1)
                try world.put(registration)
                let keyIDs: Set = [Sample.keyID(1), Sample.keyID(2)]
                let outcomes = try world.makeRegister().apply(
                    .erase, to: keyIDs, appID: "OTHERTEAM1.org.example.other", isDryRun: false)
                try requireEqual(
                    outcomes, [Sample.keyID(1): .ofOtherApp, Sample.keyID(2): .unknown],
                    "outcomes")
                try requireEqual(
                    try world.registration(of: Sample.keyID(1)), registration, "registration")
            },
        ]
    }

    private static var erasing: [KeyStoreBehaviour<World>] {
        [
            KeyStoreBehaviour("of an erased key a tombstone stays, whatever comes") { world in
                let store = try world.makeStore()
                let register = try world.makeRegister()
                try world.put(Sample.registration(1, signCount: 7))
                _ = try register.apply(.revoke(reason: "a name"), to: [Sample.keyID(1)])
                for expected in [KeyChangeOutcome.changed(.erased), .unchanged(.erased)] {
                    let outcomes = try register.apply(.erase, to: [Sample.keyID(1)])
                    try requireEqual(outcomes[Sample.keyID(1)], expected, "outcome")
                    try store.store(BatchWrites(registrations: [Sample.registration(1)]))
                }
                let record = try register.records(of: [Sample.keyID(1)])[Sample.keyID(1)]
                try requireEqual(record?.key.status, .erased, "status")
                try requireEqual(record?.key.publicKey, [], "public key")
                try requireEqual(record?.key.subject, nil, "subject")
                try requireEqual(record?.key.signCount, 7, "sign count")
                try requireEqual(record?.attestation, nil, "attestation")
                try requireEqual(record?.withdrawal?.reason, nil, "reason")
                let revoked = try register.apply(.revoke(reason: "x"), to: [Sample.keyID(1)])
                try requireEqual(revoked, [Sample.keyID(1): .unchanged(.erased)], "revocation")
            },
            KeyStoreBehaviour("the inbox forgets what it kept of erased keys, and of no other") {
                world in
                let store = try world.makeStore()
                let mine = (0..<5).map { Sample.verdict($0, key: 1) }
                let others = (5..<10).map { Sample.verdict($0, key: 2) }
                try store.store(BatchWrites(inbox: mine + others + [Sample.entry(99)]))
                let register = try world.makeRegister()
                func erase(isDryRun: Bool = false) throws(Fault) -> Int {
                    try register.eraseVerdicts(
                        of: [Sample.keyID(1)], isDryRun: isDryRun, progress: { _ in })
                }
                try requireEqual(try erase(isDryRun: true), 5, "foreseen")
                try requireEqual(try erase(), 5, "erased")
                try requireEqual(try erase(), 0, "erased again")
                let state = try store.look(
                    .requests(Set((0..<10).map(Sample.request) + [Sample.request(99)])))
                for entry in others + [Sample.entry(99)] {
                    try requireEqual(state.inbox[entry.identity], entry, "another's entry")
                }
                for entry in mine {
                    let kept = state.inbox[entry.identity]
                    try requireEqual(kept?.contentDigest, entry.contentDigest, "content digest")
                    try requireEqual(
                        kept?.verdict, ErasedVerdict(of: entry.verdict)?.bytes, "verdict")
                }
            },
        ]
    }
}

extension KeyRegister {
    func apply(
        _ change: KeyChange, to keyIDs: Set<KeyID>, isDryRun: Bool = false
    ) throws(Fault) -> [KeyID: KeyChangeOutcome] {
        try apply(
            change, to: keyIDs, appID: Sample.registration(1).key.appID, isDryRun: isDryRun)
    }
}
