/// The list that Apple puts into some extensions of a credential certificate.
///
/// `SEQUENCE { [n] EXPLICIT value, … }` with high tag numbers, in DER. Apple does not document it,
/// so it is read as far as it can be: what follows an unreadable element is not seen.
package struct AttributeList {
    /// The most elements that are read; certificates have up to 22.
    package static let elementCountMax = 64

    /// The octet strings of the list: tag number and content, in their order.
    private var octetStrings: [(number: UInt32, content: ArraySlice<UInt8>)] = []

    /// Reads the list as far as it can be read.
    package init(parsing bytes: ArraySlice<UInt8>) {
        var outer = ByteReader(bytes)
        guard outer.byte() == 0x30, let count = outer.derLength(), count == outer.remainingCount
        else { return }
        for _ in 0..<Self.elementCountMax {
            guard let number = readTagNumber(&outer), let length = outer.derLength(),
                let element = outer.take(length)
            else { return }
            var inner = ByteReader(element)
            guard inner.byte() == 0x04, let length = inner.derLength(),
                let content = inner.take(length), inner.remainingCount == 0
            else { continue }
            octetStrings.append((number, content))
        }
    }

    /// The octet strings under a tag number.
    package func octetStrings(_ number: UInt32) -> [ArraySlice<UInt8>] {
        octetStrings.filter { $0.number == number }.map(\.content)
    }

    /// The first octet string under a tag number, where it is printable UTF-8 of up to 64 bytes.
    package func text(_ number: UInt32) -> String? {
        guard let bytes = octetStrings(number).first, bytes.count <= Self.textByteCountMax,
            // Control characters belong in no report, and NUL can't be kept in a database.
            bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The most bytes of a text.
    package static let textByteCountMax = 64
}

/// A context-specific, constructed tag: X.690, 8.1.2.4.
private func readTagNumber(_ reader: inout ByteReader) -> UInt32? {
    guard let first = reader.byte(), first & 0xE0 == 0xA0 else { return nil }
    guard first & 0x1F == 0x1F else { return UInt32(first & 0x1F) }
    var number: UInt32 = 0
    // Three groups of seven bits: numbers to two million.
    for _ in 0..<3 {
        guard let byte = reader.byte() else { return nil }
        number = number << 7 | UInt32(byte & 0x7F)
        if byte & 0x80 == 0 { return number }
    }
    return nil
}
