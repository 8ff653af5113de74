import AppAttest
import AppleReceipts
import Dispatch
import HTTPClient
import KafkaTransport
import PostgresStore
import Synchronization
import Worker

/// The thread that keeps receipts alive, beside the lanes of a process.
///
/// Its end ends nothing else, and nothing waits for it but the end of the process.
final class Refreshing: Sendable {
    /// What it tells of itself.
    let observer = RefreshObserver(clock: .system)

    private let settings: Settings
    private let live: LiveSettings
    private let identity: WorkerIdentity
    private let log: Log
    private let stop: StopSignal
    private let wake = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let isRunning = Atomic(false)

    /// A refresher's thread that does not run yet; nil where the settings want none.
    init?(
        _ settings: Settings, live: LiveSettings, identity: WorkerIdentity, stop: StopSignal,
        log: Log
    ) {
        guard settings.receipts.access != nil else { return nil }
        self.settings = settings
        self.live = live
        self.identity = identity
        self.stop = stop
        self.log = log.with(["lane": "refresher"])
    }

    /// Starts the thread.
    func start() {
        isRunning.store(true, ordering: .releasing)
        let isStarted = DetachedThread.start { [self] in
            do throws(Fault) {
                try run()
            } catch {
                log(.error, "refresher_ended", error)
            }
            isRunning.store(false, ordering: .releasing)
            ended.signal()
        }
        guard !isStarted else { return }
        isRunning.store(false, ordering: .releasing)
        log(.error, "thread_refused", "the system can't start a thread for receipts")
    }

    /// Waits for its end, which was asked for by the stop signal.
    ///
    /// - Parameter patience: for how long.
    /// - Returns: false where it is still at work.
    func end(within patience: Duration) -> Bool {
        guard isRunning.load(ordering: .acquiring) else { return true }
        wake.signal()
        let milliseconds = Int(clamping: patience.wholeMilliseconds)
        return ended.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
    }

    private func run() throws(Fault) {
        guard let access = settings.receipts.access else { return }
        let topics = settings.kafka.topics
        let sink = try KafkaSink(
            settings: KafkaSettings(settings.kafka), topics: [topics.risk],
            credentials: live.kafka, log: { [log] line in log.write(line) })
        let store = PostgresReceiptStore(
            PostgresSettings(settings, owner: "\(identity.id) refresher"), access: live.database)
        let policy = live.policy
        let refresher = Refresher(
            settings: RefresherSettings(
                appIDs: { policy.value.appsWithReceipts }, fleet: access.teamID,
                rules: settings.receipts.rules, riskTopic: topics.risk,
                group: settings.kafka.groupID),
            neighbours: (store, try service(), sink), check: ReceiptCheck(policy),
            tokens: ProviderTokens(live.provider, read: Console.process.fileBytes),
            clock: .system, random: SystemRandomNumberGenerator(), stop: stop,
            pause: { [self] in pause($0) }, log: log, observer: observer)
        refresher.run()
    }

    private func service() throws(Fault) -> AppleReceiptService {
        let stop = stop
        do {
            return try AppleReceiptService(
                AppleReceiptService.Settings(settings.receipts)
            ) { stop.isRequested }
        } catch {
            throw Fault(
                operation: "prepare requests to Apple", code: "libcurl", disposition: .retry,
                message: error.description)
        }
    }

    /// Waits, in steps of a second, as the signal that asks for the end wakes nobody.
    private func pause(_ duration: Duration) {
        let deadline = ContinuousClock.now + duration
        while !stop.isRequested {
            let left = (deadline - .now).wholeMilliseconds
            guard left > 0 else { return }
            if wake.wait(timeout: .now() + .milliseconds(Int(min(left, 1000)))) == .success {
                return
            }
        }
    }
}

extension AppleReceiptService.Settings {
    /// As the settings have it.
    init(_ receipts: Settings.Receipts) {
        var http = HTTPClient.Settings()
        http.timeout = receipts.timeout
        http.caFile = receipts.caPath
        http.proxy = receipts.proxy
        self.init(
            productionURL: receipts.productionURL, developmentURL: receipts.developmentURL,
            http: http)
    }
}
