/// The serial number of a credential certificate: what a list of revoked certificates names.
///
/// Source: RFC 5280, 4.1.2.2: a positive integer, unique for its issuer, of up to 20 bytes.
public struct CertificateSerial: Hashable, Sendable {
    /// The most bytes of one in a list.
    public static let bytesMax = 20

    /// The number, big-endian, without leading zeros; zero itself is one byte.
    public let bytes: [UInt8]

    /// A number from its bytes, big-endian; leading zeros don't count.
    public init(_ bytes: some Sequence<UInt8>) {
        let significant = Array(bytes.drop { $0 == 0 })
        self.bytes = significant.isEmpty ? [0] : significant
    }

    /// Reads a number as tools print it; nil if the text is something else.
    ///
    /// - Parameter hexadecimal: 1 to 40 hexadecimal digits in either case, with or without colons
    ///   between bytes.
    public init?(hexadecimal: String) {
        let digits = hexadecimal.utf8.filter { $0 != UInt8(ascii: ":") }
        guard (1...Self.bytesMax * 2).contains(digits.count) else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8? = digits.count.isMultiple(of: 2) ? nil : 0
        for digit in digits {
            guard let value = value(ofDigit: digit) else { return nil }
            if let upper = high {
                bytes.append(upper << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        self.init(bytes)
    }
}

/// The value of a hexadecimal digit.
private func value(ofDigit digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
}
