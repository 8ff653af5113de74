import AppAttest
import Testing

@Suite struct ByteReaderTests {
    @Test func `bytes are taken in their order and no further than the end`() {
        // A slice whose indices do not begin at 0.
        var reader = ByteReader([9, 1, 2, 3, 4, 5, 6, 7].dropFirst())
        #expect(reader.byte() == 1)
        #expect(reader.bigEndian(UInt16.self) == 0x0203)
        #expect(reader.take(2).map { Array($0) } == [4, 5])
        #expect(reader.remainingCount == 2)
        #expect(reader.bigEndian(UInt32.self) == nil)
        #expect(reader.take(3) == nil)
        #expect(reader.take(-1) == nil)
        #expect(reader.take(.max) == nil)
        #expect(reader.remaining.elementsEqual([6, 7]))
        #expect(reader.take(2)?.count == 2)
        #expect(reader.byte() == nil)
        #expect(reader.take(0)?.isEmpty == true)
    }

    @Test func `an integer may fill its type`() {
        var reader = ByteReader([UInt8](repeating: 0xFF, count: 8)[...])
        #expect(reader.bigEndian(UInt64.self) == .max)
    }
}
