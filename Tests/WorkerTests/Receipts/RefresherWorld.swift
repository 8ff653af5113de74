import AppAttest
import KeyStoreSuite
import LibCrypto
import SeededNumbers
import Synchronization
import Wire

@testable import Worker

/// Refreshers over one database in memory, Apple and a topic, on a clock that tests set.
final class RefresherWorld {
    let database = InMemoryDatabase()
    let topic = TopicInMemory()
    let clock = TestClock()
    let stop = StopSignal()
    /// The file of the key; nil: it can't be read.
    var keyFile: [UInt8]? = RefresherWorld.pem(7)
    private(set) lazy var apple = AppleInMemory { [clock] in clock.now }
    var rules = RefreshRules()

    static let start = Instant(milliseconds: 1_790_000_000_000)

    /// PKCS#8 around a scalar of one number.
    static func pem(_ number: UInt8) -> [UInt8] {
        let head = Base64.decode("MEECAQAwEwYHKoZIzj0CAQYIKoZIzj0DAQcEJzAlAgEBBCA=") ?? []
        let body = Base64.encode(head + [UInt8](repeating: number, count: 32))
        return Array("-----BEGIN PRIVATE KEY-----\n\(body)\n-----END PRIVATE KEY-----\n".utf8)
    }

    /// Registers keys at the start.
    func register(_ numbers: Range<Int>) {
        for number in numbers {
            let registration = ReceiptSample.fakeRegistration(number, at: Self.start)
            database.change { rows in
                rows.keys[registration.key.keyID] = registration
                rows.receipts[registration.key.keyID] = registration.refresh.map {
                    InMemoryReceiptRow(
                        state: $0, appID: registration.key.appID,
                        seenOn: registration.attestedAt.day)
                }
            }
        }
    }

    /// All keys are seen at this moment.
    func seeAll() {
        let today = clock.now.day
        database.change { rows in
            for keyID in rows.receipts.keys { rows.receipts[keyID]?.seenOn = today }
        }
    }

    func makeRefresher(on store: InMemoryReceiptStore? = nil) -> Refresher<
        InMemoryReceiptStore, AppleInMemory, TopicInMemory, SplitMix64
    > {
        let clock = clock
        let laneClock = LaneClock(wall: { clock.now }, monotonic: { clock.elapsed })
        return Refresher(
            settings: RefresherSettings(
                appIDs: { ReceiptSample.terms.appIDs }, fleet: "TEAMID1234", rules: rules,
                riskTopic: "attest.risk.v1", group: "group"),
            neighbours: (store ?? InMemoryReceiptStore(database), apple, topic),
            check: AppleInMemory.check,
            tokens: ProviderTokens(
                Live(
                    ProviderAccess(
                        keyPath: "AuthKey_ABC123DEFG.p8", keyID: nil, teamID: "TEAMID1234"))
            ) { [unowned self] _ in keyFile },
            clock: laneClock, random: SplitMix64(seed: 1), stop: stop,
            pause: { clock.advance(by: $0) }, log: .silent,
            observer: RefreshObserver(clock: laneClock))
    }

    /// Rounds of refreshers in turn, until so much time is over.
    func run(
        _ refreshers: [Refresher<
            InMemoryReceiptStore, AppleInMemory, TopicInMemory, SplitMix64
        >], for duration: Duration, seen: Bool = true
    ) throws(Fault) {
        let end = clock.now.advanced(by: duration)
        var turn = 0
        while clock.now < end {
            if seen { seeAll() }
            let wait = try refreshers[turn % refreshers.count].round()
            clock.advance(by: wait == .seconds(5) ? .seconds(1800) : wait)
            turn += 1
        }
    }

    func row(_ number: Int) -> InMemoryReceiptRow? {
        database.rows.receipts[Sample.keyID(number)]
    }
}

/// A clock that stands still until it is told; the wall clock may be set.
final class TestClock: Sendable {
    private let state = Mutex((now: RefresherWorld.start, elapsed: Duration.zero))

    var now: Instant {
        get { state.withLock { $0.now } }
        set { state.withLock { $0.now = newValue } }
    }

    var elapsed: Duration { state.withLock { $0.elapsed } }

    func advance(by duration: Duration) {
        state.withLock { $0 = ($0.now.advanced(by: duration), $0.elapsed + duration) }
    }
}

/// A topic that takes records, or does not.
final class TopicInMemory: VerdictSink {
    var result: DeliveryReport.Result = .delivered
    private(set) var records: [OutgoingRecord] = []
    private var tickets: [UInt64] = []

    func enqueue(_ records: [(ticket: UInt64, record: OutgoingRecord)]) throws(Fault) {
        tickets += records.map(\.ticket)
        if result == .delivered { self.records += records.map(\.record) }
    }

    func reports(wait: Duration) throws(Fault) -> [DeliveryReport] {
        defer { tickets = [] }
        return tickets.map { DeliveryReport(ticket: $0, result: result) }
    }

    func close(wait: Duration) {}
}
