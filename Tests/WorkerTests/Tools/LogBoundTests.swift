import Testing
import Worker

@Suite struct LogBoundTests {
    private let log = LogPosition(committed: nil, low: 10, high: 20)

    @Test(
        arguments: [
            (nil, nil, 10..<20), (12, 15, 12..<15), (0, 100, 10..<20), (15, 12, 15..<15),
            (30, nil, 20..<20), (nil, 0, 10..<10), (.min, .max, 10..<20),
        ] as [(Int64?, Int64?, Range<Int64>)])
    func `a stretch is what of the log lies between its bounds`(
        from: Int64?, to: Int64?, stretch: Range<Int64>
    ) {
        #expect(log.stretch(from: from, to: to) == stretch)
    }
}
