import Dispatch
import HTTPClient
import Synchronization
package import Worker

/// Sends spans to a collector, over OTLP/HTTP in JSON, on a thread of its own.
///
/// Whoever hands in spans never waits. What the collector can't take in time is lost, and counted:
/// traces are for looking, and no verdict waits for them.
package final class SpanExporter: Sendable {
    /// Where spans go, and within which limits.
    package struct Settings: Sendable {
        /// The URL they are posted to.
        package var endpoint: String
        /// Sent along with each request, such as an authorization.
        package var headers: [(name: String, value: String)] = []
        /// A file of certificates to trust in place of the system's.
        package var caFile: String?
        /// How long one request may take.
        package var timeout: Duration = .seconds(10)
        /// How long spans wait for others.
        package var interval: Duration = .seconds(5)
        /// The most spans in one request.
        package var batchSpansMax = 512
        /// The most spans that wait; more are lost.
        package var queueSpansMax = 8192
        /// Who tells it: `service.name`, `service.version`, `service.instance.id`.
        package var resource: [String: String] = [:]
        /// The worker's version.
        package var version = ""

        /// The defaults for a collector.
        package init(endpoint: String) {
            self.endpoint = endpoint
        }
    }

    /// What became of spans since the start.
    package struct Counts: Hashable, Sendable {
        /// The collector took them.
        package var sent = 0
        /// There was no room, the collector refused them, or the end came.
        package var dropped = 0
    }

    private let settings: Settings
    private let newer: Newer
    private let log: Log
    private let queue: SpanQueue
    private let sent = Atomic(0)
    private let dropped = Atomic(0)
    private let isOver = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)

    /// A batch is tried so often, if the collector may take it later.
    static let attemptsMax = 5
    /// Between two attempts; doubled each time.
    static let firstPause: Duration = .seconds(1)

    /// Settings that have replaced those of the version seen, if there are any; sets the version.
    ///
    /// Limits of spans are as at the start whatever it says.
    package typealias Newer = @Sendable (_ seen: inout Int) -> Settings?

    /// An exporter whose thread does not run yet.
    ///
    /// - Parameters:
    ///   - settings: where spans go first.
    ///   - newer: asked before spans are sent.
    ///   - log: where it tells what becomes of them.
    package init(_ settings: Settings, newer: @escaping Newer = { _ in nil }, log: Log) {
        self.settings = settings
        self.newer = newer
        self.log = log
        queue = SpanQueue(batchMax: settings.batchSpansMax, spansMax: settings.queueSpansMax)
    }

    /// What became of spans so far; from any thread.
    package var counts: Counts {
        Counts(sent: sent.load(ordering: .relaxed), dropped: dropped.load(ordering: .relaxed))
    }

    /// Takes spans and returns at once; from any thread.
    package func take(_ spans: [Span]) {
        drop(queue.put(spans))
    }

    /// Starts the thread.
    ///
    /// - Parameter startThread: starts a thread, and tells whether the system could.
    /// - Returns: whether it could; if not, all spans will be lost.
    package func start(_ startThread: (@escaping @Sendable () -> Void) -> Bool) -> Bool {
        startThread { [self] in
            run()
            ended.signal()
        }
    }

    /// Sends what is left, for so long, and ends the thread; what is still left is lost.
    package func stop(within patience: Duration) {
        queue.stop()
        let milliseconds = Int(clamping: patience.wholeMilliseconds)
        if ended.wait(timeout: .now() + .milliseconds(milliseconds)) == .timedOut {
            // The request under way ends within about a second; then the thread is left behind.
            isOver.store(true, ordering: .relaxed)
            _ = ended.wait(timeout: .now() + .seconds(2))
        }
        let left = counts.dropped
        if left > 0 {
            log(
                .warning, "spans_dropped", "spans were not taken by the collector and are lost",
                ["spans": LogValue(left)])
        }
    }

    // MARK: - The thread

    private func run() {
        var sender = SpanSender(settings, log: log) { [self] in isOver.load(ordering: .relaxed) }
        var version = 0
        while true {
            if let newer = newer(&version) { sender.adopt(newer) }
            let deadline =
                DispatchTime.now()
                + .milliseconds(
                    Int(clamping: (sender.pause ?? sender.settings.interval).wholeMilliseconds))
            queue.wait(until: deadline, isPausing: sender.pause != nil)
            let isEnd = queue.isStopping
            repeat {
                if sender.batch.isEmpty { sender.batch = queue.take() }
                guard !sender.batch.isEmpty else { break }
                let outcome = sender.send(isLast: isEnd)
                sent.add(outcome.sent, ordering: .relaxed)
                drop(outcome.dropped)
                // At the end nobody waits for a collector that does not answer.
                if isEnd, outcome.sent == 0 { drop(queue.takeAll().count) }
            } while sender.pause == nil && (isEnd || queue.hasBatch)
            if isEnd { return }
        }
    }

    private func drop(_ count: Int) {
        if count > 0 { dropped.add(count, ordering: .relaxed) }
    }
}
