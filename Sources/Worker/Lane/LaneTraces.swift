import AppAttest

// What a lane tells of the traces that go through it.

extension Lane {
    /// The traces of a batch that was decided just now; nil if nobody takes spans.
    func trace(of batch: [JudgedRecord], asked: Duration) -> BatchTrace? {
        guard settings.spans != nil else { return nil }
        let times = BatchTrace.Times(
            received: received, asked: asked, decided: clock.monotonic())
        return BatchTrace(batch.map(\.record), settings, times, random: &random)
    }

    /// Hands on the spans of a batch that is committed just now.
    func tell(_ trace: BatchTrace?) {
        guard let spans = settings.spans, var trace else { return }
        let now = clock.monotonic()
        trace.times.committed = now
        let ended = trace.spans(now: (clock.wall().milliseconds * 1_000_000, now))
        if !ended.isEmpty { spans(ended) }
    }
}
