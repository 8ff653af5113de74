import Dispatch
import Synchronization
import Worker

/// Spans between the lanes, which put them in and never wait, and the thread that sends them.
final class SpanQueue: Sendable {
    private struct State {
        var spans: [Span] = []
        var isStopping = false
    }

    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)
    private let batchMax: Int
    private let spansMax: Int

    /// An empty queue.
    ///
    /// - Parameters:
    ///   - batchMax: with so many the thread is woken.
    ///   - spansMax: more are not kept.
    init(batchMax: Int, spansMax: Int) {
        self.batchMax = batchMax
        self.spansMax = spansMax
    }

    /// Puts spans in, as far as there is room.
    ///
    /// - Returns: how many found none.
    func put(_ spans: [Span]) -> Int {
        let (refused, isBatch) = state.withLock { state in
            let before = state.spans.count
            let room = state.isStopping ? 0 : spansMax - before
            state.spans += spans.prefix(max(0, room))
            let isBatch = before < batchMax && state.spans.count >= batchMax
            return (spans.count - (state.spans.count - before), isBatch)
        }
        if isBatch { wake.signal() }
        return refused
    }

    /// Takes the oldest spans out, up to a batch.
    func take() -> [Span] {
        state.withLock { state in
            let batch = Array(state.spans.prefix(batchMax))
            state.spans.removeFirst(batch.count)
            return batch
        }
    }

    /// Takes all spans out.
    func takeAll() -> [Span] {
        state.withLock { state in
            defer { state.spans.removeAll() }
            return state.spans
        }
    }

    /// Takes nothing more in, and wakes the thread.
    func stop() {
        state.withLock { $0.isStopping = true }
        wake.signal()
    }

    /// Whether nothing more comes in.
    var isStopping: Bool {
        state.withLock { $0.isStopping }
    }

    /// Whether a whole batch waits.
    var hasBatch: Bool {
        state.withLock { $0.spans.count >= batchMax }
    }

    /// Waits until there is a batch, the end, or a moment.
    ///
    /// - Parameters:
    ///   - deadline: the moment.
    ///   - isPausing: whether only the end counts.
    func wait(until deadline: DispatchTime, isPausing: Bool) {
        // A signal is given once a batch at most, so this does not spin.
        while wake.wait(timeout: deadline) == .success {
            if isStopping || !isPausing { return }
        }
    }
}
