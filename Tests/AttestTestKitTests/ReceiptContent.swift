/// The fields of a receipt's content, read anew: SET OF SEQUENCE of type, version and value.
struct ReceiptContent {
    struct Field: Hashable {
        var type: Int
        var version: Int
        var value: [UInt8]
    }

    /// In the order in which they stand there.
    let fields: [Field]

    /// Nil where the bytes are anything else.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        guard let set = Self.element(0x31, &rest), rest.isEmpty else { return nil }
        var entries = set
        var fields: [Field] = []
        while !entries.isEmpty {
            guard var entry = Self.element(0x30, &entries),
                let type = Self.element(0x02, &entry), let version = Self.element(0x02, &entry),
                let value = Self.element(0x04, &entry), entry.isEmpty
            else { return nil }
            let numbers = [type, version].map { $0.reduce(0) { $0 << 8 | Int($1) } }
            fields.append(Field(type: numbers[0], version: numbers[1], value: Array(value)))
        }
        self.fields = fields
    }

    /// The value of a field; nil where there is none or more than one.
    func value(_ type: Int) -> [UInt8]? {
        let values = fields.filter { $0.type == type }.map(\.value)
        return values.count == 1 ? values.first : nil
    }

    /// The value of a field as text.
    func text(_ type: Int) -> String? {
        value(type).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Takes an element of one tag and of definite length.
    private static func element(_ tag: UInt8, _ bytes: inout ArraySlice<UInt8>) -> ArraySlice<
        UInt8
    >? {
        guard bytes.popFirst() == tag, let first = bytes.popFirst() else { return nil }
        var count = Int(first)
        if first >= 0x80 {
            let lengthByteCount = Int(first & 0x7F)
            guard (1...2).contains(lengthByteCount), bytes.count >= lengthByteCount else {
                return nil
            }
            count = bytes.prefix(lengthByteCount).reduce(0) { $0 << 8 | Int($1) }
            bytes = bytes.dropFirst(lengthByteCount)
        }
        guard bytes.count >= count else { return nil }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }
}
