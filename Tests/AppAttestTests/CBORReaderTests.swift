import AppAttest
import CBORWriter
import SeededNumbers
import Testing

@Suite struct CBORReaderTests {
    @Test(arguments: [
        ("00", CBORItem.unsigned(0)), ("17", .unsigned(23)), ("1818", .unsigned(24)),
        ("18ff", .unsigned(255)), ("190100", .unsigned(256)), ("1a00010000", .unsigned(65536)),
        ("1b0000000100000000", .unsigned(1 << 32)), ("1bffffffffffffffff", .unsigned(.max)),
        ("20", .negative(0)), ("3903e7", .negative(999)), ("40", .bytes([])),
        ("4401020304", .bytes([1, 2, 3, 4])), ("60", .text([])),
        ("62c3bc", .text([0xC3, 0xBC])), ("80", .array([])),
        ("820102", .array([.unsigned(1), .unsigned(2)])), ("f4", .boolean(false)),
        ("f5", .boolean(true)), ("f6", .null),
    ])
    func `an item of the subset is read`(digits: String, item: CBORItem) throws {
        #expect(try CBORReader.readWhole(hex(digits)[...]) == item)
    }

    @Test(arguments: [
        ("", CBORFault.truncated),
        ("18", .truncated), ("1901", .truncated), ("1a000100", .truncated),
        ("1b00000001000000", .truncated), ("41", .truncated), ("6261", .truncated),
        ("8201", .truncated), ("a101", .truncated), ("5affffffff", .truncated),
        ("5bffffffffffffffff", .truncated), ("7bffffffffffffffff", .truncated),
        ("9bffffffffffffffff", .truncated), ("bbffffffffffffffff", .truncated),
        ("bb7fffffffffffffff", .truncated),
        ("1817", .notShortest), ("1900ff", .notShortest), ("1a0000ffff", .notShortest),
        ("1b00000000ffffffff", .notShortest), ("3800", .notShortest), ("5801 00", .notShortest),
        ("7801 61", .notShortest), ("9801 00", .notShortest), ("b801 00 00", .notShortest),
        ("1c", .reserved), ("3d", .reserved), ("5e", .reserved), ("7c", .reserved),
        ("9d", .reserved), ("be", .reserved), ("fc", .reserved), ("1f", .indefiniteLength),
        ("3f", .indefiniteLength), ("5f4101ff", .indefiniteLength),
        ("7f6161ff", .indefiniteLength), ("9f01ff", .indefiniteLength),
        ("bf0102ff", .indefiniteLength), ("ff", .indefiniteLength), ("c000", .tag),
        ("d90100 00", .tag), ("f90000", .floatOrSimpleValue),
        ("fa00000000", .floatOrSimpleValue), ("fb0000000000000000", .floatOrSimpleValue),
        ("f7", .floatOrSimpleValue), ("e0", .floatOrSimpleValue), ("f8ff", .floatOrSimpleValue),
        ("61ff", .invalidUTF8), ("62c080", .invalidUTF8), ("63eda080", .invalidUTF8),
        ("64f4908080", .invalidUTF8), ("61c3", .invalidUTF8),
        ("a14100 00", .keyType), ("a180 00", .keyType), ("a1a0 00", .keyType),
        ("a1f5 00", .keyType), ("a1f6 00", .keyType), ("a2 01 00 01 00", .duplicateKey),
        ("a2 20 00 20 01", .duplicateKey), ("a2 6161 00 6161 00", .duplicateKey),
        ("a3 6161 00 01 00 6161 00", .duplicateKey), ("0000", .trailingBytes(count: 1)),
        ("a0a0a0", .trailingBytes(count: 2)),
    ])
    func `a lie is refused by its name`(digits: String, fault: CBORFault) {
        #expect(throws: fault) { try CBORReader.readWhole(hex(digits)[...]) }
    }

    @Test func `two spellings of one letter are two keys`() throws {
        // "é" as one scalar and as "e" with an accent: equal as String, not as bytes.
        let item = try CBORReader.readWhole(hex("a2 62c3a9 01 6365cc81 02")[...])
        guard case .map(let map) = item else {
            Issue.record("not a map")
            return
        }
        #expect(map["\u{E9}"] == .unsigned(1))
        #expect(map["e\u{301}"] == .unsigned(2))
    }

    @Test func `nesting ends at the limit`() throws {
        let deepest = [UInt8](repeating: 0x81, count: CBORReader.depthMax - 1) + [0x00]
        #expect(throws: Never.self) { try CBORReader.readWhole(deepest[...]) }
        #expect(throws: CBORFault.tooDeep) { try CBORReader.readWhole([0x81] + deepest) }
        let endless = [UInt8](repeating: 0x81, count: 100_000)
        #expect(throws: CBORFault.tooDeep) { try CBORReader.readWhole(endless[...]) }
    }

    @Test func `the number of items ends at the limit`() throws {
        let most = CBORReader.itemCountMax - 1
        let full = [0x98, UInt8(most)] + [UInt8](repeating: 0, count: most)
        #expect(throws: Never.self) { try CBORReader.readWhole(full[...]) }
        let over = [0x99, 0x01, 0x00] + [UInt8](repeating: 0, count: most + 1)
        #expect(throws: CBORFault.tooManyItems) { try CBORReader.readWhole(over[...]) }
    }

    @Test func `an item is read and what follows it remains`() throws {
        var reader = CBORReader(hex("a10102 6161 ff")[...])
        #expect(try reader.readItem() != .null)
        #expect(try reader.readItem() == .text([0x61]))
        #expect(reader.remaining.elementsEqual([0xFF]))
    }

    @Test(arguments: 0..<1000 as Range<UInt64>)
    func `what is written is read again, and nothing shorter or longer is`(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let item = CBORSample.item(depth: 1, using: &generator)
        let bytes = CBORWriter.encode(item)
        #expect(try CBORReader.readWhole(bytes[...]) == item)
        for count in 0..<bytes.count {
            #expect(throws: CBORFault.truncated) { try CBORReader.readWhole(bytes.prefix(count)) }
        }
        #expect(throws: CBORFault.trailingBytes(count: 1)) {
            try CBORReader.readWhole(bytes + [0x00])
        }
    }
}
