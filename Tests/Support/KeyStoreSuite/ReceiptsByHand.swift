internal import AppAttest
internal import Wire
internal import Worker

extension KeyStoreSuite {
    /// What an operator may take, and what is left alone.
    static var byHand: [KeyStoreBehaviour<World>] {
        [
            KeyStoreBehaviour("an operator takes a key whether or not it is due") { world in
                try world.makeStore().store(
                    BatchWrites(registrations: [ReceiptSample.registration(1)]))
                let receipts = try world.makeReceipts()
                let early = ReceiptSample.attestedAt.advanced(by: .milliseconds(-5))
                try requireEqual(try receipts.handLease(9, at: early), .unknown, "unknown key")
                let stranger = try receipts.lease(
                    Sample.keyID(1), of: "OTHER", ReceiptSample.rules, at: early)
                try requireEqual(stranger, .unknown, "key of another app")
                let taken = try receipts.handLease(1, at: early).receipt
                try requireEqual(taken?.state.keyID, Sample.keyID(1), "taken")
                try requireEqual(taken?.lease, 1, "leases")
            },
            KeyStoreBehaviour("an operator takes nothing that a worker asks about") { world in
                try world.makeStore().store(
                    BatchWrites(registrations: [ReceiptSample.registration(1)]))
                let (worker, hand) = (try world.makeReceipts(), try world.makeReceipts())
                let now = ReceiptSample.hourLater
                let taken = try worker.lease(at: now).receipts[0]
                let soon = now.advanced(by: .seconds(20))
                try requireEqual(try hand.handLease(1, at: soon), .busy(since: now), "by hand")
                let renewed = RefreshOutcome.renewed(
                    receipt: [7], ReceiptSample.facts(at: soon, metric: 3))
                try require(
                    try worker.settle(taken, renewed, ReceiptSample.terms, at: soon), "stored")
                // The new receipt has a not-before, and nothing of its schedule moves.
                let day = soon.advanced(by: .seconds(86_400))
                let before = day.advanced(by: .milliseconds(-1))
                try requireEqual(
                    try hand.handLease(1, at: before), .early(notBefore: day), "too early")
                try requireEqual(try hand.handLease(1, at: day).receipt?.receipt, [7], "receipt")
            },
            KeyStoreBehaviour("an operator takes what was given back, failed or left") { world in
                try world.makeStore().store(
                    BatchWrites(registrations: [ReceiptSample.registration(1)]))
                let (worker, hand) = (try world.makeReceipts(), try world.makeReceipts())
                let now = ReceiptSample.hourLater
                try worker.giveBack(try worker.lease(at: now).receipts, at: now)
                let first = try hand.handLease(1, at: now).receipt
                try require(first != nil, "taken after it came back")
                guard let first else { return }
                let soon = now.advanced(by: .seconds(1))
                _ = try hand.settle(first, .failed(.noData), ReceiptSample.terms, at: soon)
                try require(try hand.handLease(1, at: soon).receipt != nil, "taken after a 404")
                let late = soon.advanced(by: HandLease.freshFor)
                try require(try hand.handLease(1, at: late).receipt != nil, "taken from the dead")
            },
            KeyStoreBehaviour("what is asked by hand neither pauses the fleet nor ends a pause") {
                world in
                try world.makeStore().store(
                    BatchWrites(registrations: (1...3).map { ReceiptSample.registration($0) }))
                let receipts = try world.makeReceipts()
                let now = ReceiptSample.hourLater
                var terms = ReceiptSample.terms
                terms.isByHand = true
                terms.rules.perDayMax = 2
                let taken = try receipts.handLease(1, at: now).receipt
                try require(taken != nil, "taken")
                guard let taken else { return }
                _ = try receipts.settle(taken, .failed(.throttled), terms, at: now)
                // No pause; but one of the two of the day is used.
                try requireEqual(try receipts.lease(terms, at: now).receipts.count, 1, "left")
            },
        ]
    }
}

extension HandLease {
    /// What was taken, if anything was.
    var receipt: LeasedReceipt? {
        guard case .taken(let receipt) = self else { return nil }
        return receipt
    }
}

extension ReceiptStore {
    /// Takes a key of the app by hand.
    func handLease(_ number: Int, at now: Instant) throws(Fault) -> HandLease {
        try lease(
            Sample.keyID(number), of: ReceiptSample.registration(number).key.appID,
            ReceiptSample.rules, at: now)
    }
}
