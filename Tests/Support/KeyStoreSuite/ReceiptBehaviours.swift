internal import AppAttest
internal import Wire
internal import Worker

extension KeyStoreSuite {
    /// Receipts: who has them, when they are due, what is told of them.
    static var receipts: [KeyStoreBehaviour<World>] {
        leases + byHand + settlements + sightings
    }

    private static var leases: [KeyStoreBehaviour<World>] {
        [
            KeyStoreBehaviour("a due receipt is taken once, with all that is needed to ask") {
                world in
                let registration = ReceiptSample.registration(1)
                try world.makeStore().store(BatchWrites(registrations: [registration]))
                let (first, second) = (try world.makeReceipts(), try world.makeReceipts())
                let early = ReceiptSample.attestedAt.advanced(by: .milliseconds(-1))
                try requireEqual(try first.lease(at: early).receipts, [], "receipts before")
                let grant = try first.lease(at: ReceiptSample.hourLater)
                try requireEqual(grant.receipts.count, 1, "receipts taken")
                let taken = grant.receipts[0]
                try requireEqual(taken.receipt, registration.receipt, "receipt")
                try requireEqual(taken.publicKey, registration.key.publicKey, "public key")
                try requireEqual(taken.environment, .production, "environment")
                try requireEqual(taken.appID, registration.key.appID, "app")
                try requireEqual(
                    taken.state.expiresAt, registration.refresh?.expiresAt, "expiry")
                try requireEqual(
                    try second.lease(at: ReceiptSample.hourLater).receipts, [], "taken twice")
                // Whoever took it may have died after asking.
                let day = ReceiptSample.hourLater.advanced(by: ReceiptSample.rules.pauseMin)
                try requireEqual(
                    try second.lease(at: day.advanced(by: .milliseconds(-1))).receipts, [],
                    "taken again within the pause")
                try requireEqual(
                    try second.lease(at: day).receipts.map(\.lease), [taken.lease + 1],
                    "taken again after the pause")
            },
            KeyStoreBehaviour("no more are taken than the pace of all workers allows") { world in
                try world.makeStore().store(
                    BatchWrites(registrations: (0..<12).map { ReceiptSample.registration($0) }))
                let (first, second) = (try world.makeReceipts(), try world.makeReceipts())
                let now = ReceiptSample.hourLater
                let taken =
                    try first.lease(at: now).receipts + second.lease(at: now).receipts
                try requireEqual(taken.count, 5, "taken in one moment")
                try require(
                    try second.lease(at: now).paceWait != nil, "a hint at when there are more")
                let later = now.advanced(by: .milliseconds(400))
                let more = try second.lease(at: later).receipts
                try requireEqual(more.count, 2, "taken in 400 ms")
                let keys = Set((taken + more).map(\.state.keyID))
                try requireEqual(keys.count, 7, "different keys")
            },
            KeyStoreBehaviour("the fleet pauses for all, and goes on for all") { world in
                try world.makeStore().store(
                    BatchWrites(registrations: (0..<3).map { ReceiptSample.registration($0) }))
                let (first, second) = (try world.makeReceipts(), try world.makeReceipts())
                let now = ReceiptSample.hourLater
                var terms = ReceiptSample.terms
                terms.countMax = 1
                let taken = try first.lease(terms, at: now).receipts[0]
                try require(
                    try first.settle(taken, .failed(.throttled), terms, at: now), "stored")
                try requireEqual(try second.lease(at: now).receipts, [], "while it pauses")
                let wait = try second.lease(at: now).paceWait
                try requireEqual(wait, .seconds(60), "the pause")
                let later = now.advanced(by: .seconds(60))
                try requireEqual(try second.lease(at: later).receipts.count, 2, "after it")
            },
            KeyStoreBehaviour("keys of other apps, revoked ones and unseen ones are left alone") {
                world in
                var other = ReceiptSample.registration(1)
                other.key.appID = "OTHERTEAM1.org.example.other"
                let store = try world.makeStore()
                try store.store(
                    BatchWrites(registrations: [other, ReceiptSample.registration(2)]))
                _ = try world.makeRegister().apply(
                    .revoke(reason: "test"), to: [Sample.keyID(2)],
                    appID: ReceiptSample.registration(2).key.appID, isDryRun: false)
                let receipts = try world.makeReceipts()
                let grant = try receipts.lease(at: ReceiptSample.hourLater)
                try requireEqual(grant.receipts, [], "taken")
                try requireEqual(grant.parked, 1, "parked")
                let unseen = ReceiptSample.registration(3)
                try store.store(BatchWrites(registrations: [unseen]))
                let late = ReceiptSample.attestedAt.advanced(by: .seconds(32 * 86_400))
                let second = try receipts.lease(at: late)
                try requireEqual(second.receipts, [], "taken of unseen ones")
                try requireEqual(second.parked, 1, "parked unseen ones")
                try requireEqual(try receipts.lease(at: late).parked, 0, "parked twice")
            },
            KeyStoreBehaviour("what was taken for nothing is due at once") { world in
                try world.makeStore().store(
                    BatchWrites(registrations: [ReceiptSample.registration(1)]))
                let receipts = try world.makeReceipts()
                let taken = try receipts.lease(at: ReceiptSample.hourLater).receipts
                try receipts.giveBack(taken, at: ReceiptSample.hourLater)
                let later = ReceiptSample.hourLater.advanced(by: .seconds(1))
                try requireEqual(
                    try receipts.lease(at: later).receipts.map(\.state.keyID),
                    taken.map(\.state.keyID), "taken again")
                // It is another's by now.
                try receipts.giveBack(taken, at: later)
                try requireEqual(try receipts.lease(at: later).receipts, [], "given back late")
            },
        ]
    }

    private static var settlements: [KeyStoreBehaviour<World>] {
        [
            KeyStoreBehaviour("a new receipt replaces the old one, and its metric is read") {
                world in
                let store = try world.makeStore()
                try store.store(BatchWrites(registrations: [ReceiptSample.registration(1)]))
                let receipts = try world.makeReceipts()
                let now = ReceiptSample.hourLater
                let taken = try receipts.lease(at: now).receipts[0]
                let facts = ReceiptSample.facts(at: now, metric: 3)
                try require(
                    try receipts.settle(
                        taken, .renewed(receipt: [7, 7], facts), ReceiptSample.terms, at: now),
                    "stored")
                let standing = try store.standing(of: Sample.keyID(1))
                try requireEqual(standing?.metric, 3, "metric")
                try requireEqual(standing?.metricAsOf, now, "when it was told")
                let changes = try receipts.untold(
                    ReceiptSample.terms.appIDs, before: now, limit: 10)
                try requireEqual(changes.map(\.metric), [3], "changes")
                try requireEqual(changes.map(\.previousMetric), [nil], "the metric before")
                try requireEqual(changes.first?.subject, "subject", "owner")
                // Until it is told nobody asks again, so that no change is lost.
                let next = now.advanced(by: .seconds(8 * 86_400))
                try store.see(1, at: next)
                try requireEqual(try receipts.lease(at: next).receipts, [], "taken while untold")
                try receipts.noteTold(changes)
                try requireEqual(
                    try receipts.untold(ReceiptSample.terms.appIDs, before: now, limit: 10), [],
                    "changes after they were told")
                let again = try receipts.lease(at: next).receipts
                try requireEqual(again.map(\.receipt), [[7, 7]], "the receipt that is sent next")
                try requireEqual(again.first?.state.metric, 3, "the metric that is known")
            },
            KeyStoreBehaviour("an answer that comes after the lease was lost is dropped") { world in
                try world.makeStore().store(
                    BatchWrites(registrations: [ReceiptSample.registration(1)]))
                let (slow, fast) = (try world.makeReceipts(), try world.makeReceipts())
                let now = ReceiptSample.hourLater
                let late = now.advanced(by: .seconds(2 * 86_400))
                let lost = try slow.lease(at: now).receipts[0]
                let taken = try fast.lease(at: late).receipts[0]
                let newer = RefreshOutcome.renewed(
                    receipt: [2], ReceiptSample.facts(at: late, metric: 2))
                try require(
                    try fast.settle(taken, newer, ReceiptSample.terms, at: late), "stored")
                let older = RefreshOutcome.renewed(
                    receipt: [1], ReceiptSample.facts(at: now, metric: 9))
                try require(
                    try !slow.settle(lost, older, ReceiptSample.terms, at: late), "dropped")
                let standing = try world.makeStore().standing(of: Sample.keyID(1))
                try requireEqual(standing?.metric, 2, "metric")
            },
            KeyStoreBehaviour("a second attestation takes the receipt from whoever asks") {
                world in
                let store = try world.makeStore()
                try store.store(BatchWrites(registrations: [ReceiptSample.registration(1)]))
                let receipts = try world.makeReceipts()
                let now = ReceiptSample.hourLater
                let taken = try receipts.lease(at: now).receipts[0]
                var second = ReceiptSample.registration(1, at: now)
                second.receipt = [9]
                try store.store(BatchWrites(registrations: [second]))
                let renewed = RefreshOutcome.renewed(
                    receipt: [1], ReceiptSample.facts(at: now, metric: 9))
                try require(
                    try !receipts.settle(taken, renewed, ReceiptSample.terms, at: now), "dropped")
                let day = now.advanced(by: .seconds(86_400))
                try requireEqual(
                    try receipts.lease(at: day.advanced(by: .seconds(-1))).receipts, [],
                    "asked twice a day")
                try requireEqual(
                    try receipts.lease(at: day).receipts.map(\.receipt), [[9]], "receipt")
            },
            KeyStoreBehaviour("an attestation does not cut off the receipts that Apple gave") {
                world in
                let store = try world.makeStore()
                try store.store(BatchWrites(registrations: [ReceiptSample.registration(1)]))
                let receipts = try world.makeReceipts()
                let now = ReceiptSample.hourLater
                let taken = try receipts.lease(at: now).receipts[0]
                let renewed = RefreshOutcome.renewed(
                    receipt: [7], ReceiptSample.facts(at: now, metric: 3))
                try require(
                    try receipts.settle(taken, renewed, ReceiptSample.terms, at: now), "stored")
                var second = ReceiptSample.registration(1, at: now.advanced(by: .seconds(60)))
                second.receipt = [9]
                try store.store(BatchWrites(registrations: [second]))
                let later = now.advanced(by: .seconds(8 * 86_400))
                let again = try receipts.handLease(1, at: later).receipt
                try requireEqual(again?.receipt, [7], "receipt")
            },
            KeyStoreBehaviour("failures are counted, and what is given up is not due") { world in
                try world.makeStore().store(
                    BatchWrites(registrations: [ReceiptSample.registration(1)]))
                let receipts = try world.makeReceipts()
                var now = ReceiptSample.hourLater
                for count in 1...3 {
                    let taken = try receipts.lease(at: now).receipts
                    try requireEqual(taken.map(\.state.failures), [Int32(count - 1)], "failures")
                    _ = try receipts.settle(
                        taken[0], .failed(.refused), ReceiptSample.terms, at: now)
                    now = now.advanced(by: .seconds(4 * 86_400))
                }
                try requireEqual(try receipts.lease(at: now).receipts, [], "given up")
                try requireEqual(
                    try receipts.oldestDue(ReceiptSample.terms.appIDs, at: now), nil, "due")
            },
            KeyStoreBehaviour("an erased key leaves no receipt") { world in
                try world.makeStore().store(
                    BatchWrites(registrations: [ReceiptSample.registration(1)]))
                let receipts = try world.makeReceipts()
                let taken = try receipts.lease(at: ReceiptSample.hourLater).receipts[0]
                _ = try world.makeRegister().apply(
                    .erase, to: [Sample.keyID(1)],
                    appID: ReceiptSample.registration(1).key.appID, isDryRun: false)
                let renewed = RefreshOutcome.renewed(
                    receipt: [1], ReceiptSample.facts(at: ReceiptSample.hourLater, metric: 9))
                try require(
                    try !receipts.settle(
                        taken, renewed, ReceiptSample.terms, at: ReceiptSample.hourLater),
                    "dropped")
                try requireEqual(
                    try world.makeStore().standing(of: Sample.keyID(1)), nil, "standing")
            },
        ]
    }

    private static var sightings: [KeyStoreBehaviour<World>] {
        [
            KeyStoreBehaviour("a key from before is due once it is seen") { world in
                let store = try world.makeStore()
                try store.store(BatchWrites(registrations: [Sample.registration(1)]))
                let receipts = try world.makeReceipts()
                let now = Sample.registration(1).attestedAt.advanced(by: .seconds(3 * 86_400))
                try requireEqual(try receipts.lease(at: now).receipts, [], "taken unseen")
                try store.see(1, at: now)
                try requireEqual(try store.standing(of: Sample.keyID(1))?.seenOn, now.day, "day")
                try requireEqual(
                    try receipts.oldestDue(ReceiptSample.terms.appIDs, at: now), now, "due since")
                let taken = try receipts.lease(at: now).receipts
                try requireEqual(
                    taken.map(\.receipt), [Sample.registration(1).receipt], "receipt")
            },
            KeyStoreBehaviour("a day is never taken back, and being seen changes no due time") {
                world in
                let store = try world.makeStore()
                let registration = ReceiptSample.registration(1)
                try store.store(BatchWrites(registrations: [registration]))
                let tomorrow = ReceiptSample.attestedAt.advanced(by: .seconds(86_400))
                try store.see(1, at: tomorrow)
                try store.see(1, at: ReceiptSample.attestedAt)
                try requireEqual(
                    try store.standing(of: Sample.keyID(1))?.seenOn, tomorrow.day, "day")
                let due = try world.makeReceipts().oldestDue(
                    ReceiptSample.terms.appIDs, at: tomorrow)
                try requireEqual(due, registration.refresh?.nextAttempt, "due since")
            },
            KeyStoreBehaviour("a key that comes back into sight is due again") { world in
                let store = try world.makeStore()
                try store.store(BatchWrites(registrations: [ReceiptSample.registration(1)]))
                let receipts = try world.makeReceipts()
                let late = ReceiptSample.attestedAt.advanced(by: .seconds(40 * 86_400))
                try requireEqual(try receipts.lease(at: late).parked, 1, "parked")
                try store.see(1, at: late)
                try requireEqual(try receipts.lease(at: late).receipts.count, 1, "taken")
            },
        ]
    }
}
