import Testing
import Worker

@Suite struct StartPositionTests {
    private func position(
        next: Int64, published: Int64? = nil, committed: Int64?, low: Int64 = 0, high: Int64 = 100
    ) -> StartPosition {
        StartPosition(
            row: Progress(
                epoch: 1, nextOffset: next, publishedOffset: published ?? next,
                lastTimestampMilliseconds: 5),
            log: LogPosition(committed: committed, low: low, high: high))
    }

    @Test func `what was decided and not committed is answered again`() {
        #expect(position(next: 50, committed: 40) == .at(40))
    }

    @Test func `without a committed offset what was decided and not published is answered again`() {
        #expect(position(next: 50, published: 45, committed: nil) == .at(45))
        #expect(position(next: 50, published: 20, committed: nil, low: 30) == .at(30))
    }

    @Test func `a row behind the committed offset means that the database lost commits`() {
        #expect(position(next: 30, committed: 40) == .lostCommits(from: 30, committed: 40))
    }

    @Test func `a row beyond the log's end means a new log`() {
        #expect(position(next: 101, committed: nil) == .newLog(from: 0))
        #expect(position(next: 101, committed: 101) == .newLog(from: 0))
        #expect(position(next: 101, committed: 60, low: 10) == .newLog(from: 60))
    }

    @Test func `a log that is all later than what was decided is a new one`() {
        func start(committed: Int64?, low: Int64 = 0, firstLater: Int64?) -> StartPosition {
            StartPosition(
                row: Progress(
                    epoch: 1, nextOffset: 50, publishedOffset: 45, lastTimestampMilliseconds: 5),
                log: LogPosition(committed: committed, low: low, high: 100),
                firstLater: firstLater)
        }
        #expect(start(committed: nil, firstLater: 0) == .newLog(from: 0))
        #expect(start(committed: nil, low: 20, firstLater: 20) == .newLog(from: 20))
        // The first record was among those decided: the committed offset has only expired.
        #expect(start(committed: nil, firstLater: 50) == .at(45))
        #expect(start(committed: nil, firstLater: nil) == .at(45))
        #expect(start(committed: 45, firstLater: 0) == .at(45))
        #expect(start(committed: nil, low: 50, firstLater: 50) == .at(50))
    }

    @Test func `records that retention deleted undecided are told`() {
        #expect(
            position(next: 30, committed: 30, low: 50) == .recordsExpired(from: 50, missing: 20))
        #expect(
            position(next: 30, committed: nil, low: 50) == .recordsExpired(from: 50, missing: 20))
    }

    @Test func `lost decisions whose records are gone can't be made again`() {
        #expect(
            position(next: 30, committed: 60, low: 50) == .unrecoverable(nextOffset: 30, low: 50))
    }

    @Test func `decided records that are gone can't be answered again`() {
        #expect(position(next: 60, committed: 40, low: 50) == .at(50))
    }

    @Test(arguments: [nil, 0, 200] as [Int64?])
    func `without a committed offset inside the log a new row begins at the log's start`(
        committed: Int64?
    ) {
        #expect(StartPosition.initial(LogPosition(committed: committed, low: 10, high: 100)) == 10)
    }

    /// The group's commits follow the row: without one, the database was lost or set back.
    @Test func `a row that is missing where the group has committed is a loss`() {
        func start(committed: Int64, low: Int64) -> StartPosition {
            let log = LogPosition(committed: committed, low: low, high: 100)
            let next = StartPosition.initial(log)
            return position(next: next, committed: committed, low: low)
        }
        #expect(start(committed: 70, low: 0) == .lostCommits(from: 0, committed: 70))
        #expect(start(committed: 70, low: 10) == .unrecoverable(nextOffset: 0, low: 10))
        #expect(start(committed: 100, low: 100) == .unrecoverable(nextOffset: 0, low: 100))
    }

    @Test func `whatever stands where, nothing undecided in the log is skipped`() {
        for low in Int64(0)..<4 {
            for high in low..<6 {
                for next in Int64(0)..<8 {
                    for committed in [nil] + (Int64(0)..<8).map(Optional.some) {
                        let start = position(
                            next: next, committed: committed, low: low, high: high)
                        switch start {
                        case .at(let offset), .lostCommits(let offset, _),
                            .recordsExpired(let offset, _):
                            #expect(offset >= low && offset <= high && offset <= max(next, low))
                        case .newLog(let offset):
                            #expect(next > high && offset >= low && offset <= high)
                        case .unrecoverable:
                            #expect(next < low)
                        }
                    }
                }
            }
        }
    }
}
