import AppAttest
import Testing

@Suite struct AttributeListTests {
    @Test func `octet strings are found by their tag numbers`() {
        // [4] INTEGER 10, [1204] "T.app", [1400] "14.4".
        let list = AttributeList(
            parsing: hex("301a a403 02010a bf89340704 05 542e617070 bf8a78060404 31342e34")[...])
        #expect(list.text(1204) == "T.app")
        #expect(list.text(1400) == "14.4")
        #expect(list.text(4) == nil)
        #expect(list.octetStrings(1205).isEmpty)
    }

    @Test func `every occurrence is seen`() {
        let list = AttributeList(parsing: hex("300a a403 040161 a403 040162")[...])
        #expect(list.octetStrings(4).map { Array($0) } == [[0x61], [0x62]])
    }

    @Test(arguments: [
        "", "30", "3001", "3100", "3080", "308101 00", "30820001 00", "3003a4030401",
        "3005a403040161 00", "3006 bf80808001 00", "3003 020100",
    ])
    func `a broken list has nothing in it`(digits: String) {
        let list = AttributeList(parsing: hex(digits)[...])
        #expect((0...1500).allSatisfy { list.octetStrings(UInt32($0)).isEmpty })
    }

    @Test func `every cut of a list is read without harm`() {
        let whole = hex("301a a403 02010a bf89340704 05 542e617070 bf8a78060404 31342e34")
        for count in 0..<whole.count {
            #expect(AttributeList(parsing: whole.prefix(count)).text(1204) == nil)
        }
    }

    @Test(arguments: ["0402 3100", "0402 310a", "0401 7f", "0401 ff"])
    func `control characters and other text are no text`(element: String) {
        let bytes = hex(element)
        let inner = [0xA4, UInt8(bytes.count)] + bytes
        let list = AttributeList(parsing: ([0x30, UInt8(inner.count)] + inner)[...])
        #expect(list.octetStrings(4).count == 1)
        #expect(list.text(4) == nil)
    }
}
