/// Bytes from hexadecimal digits; spaces are for the eye.
func hex(_ text: String) -> [UInt8] {
    var digits = text.filter { $0 != " " }[...]
    var bytes: [UInt8] = []
    while !digits.isEmpty {
        guard digits.count >= 2, let byte = UInt8(digits.prefix(2), radix: 16) else {
            preconditionFailure("not hexadecimal: \(text)")
        }
        bytes.append(byte)
        digits = digits.dropFirst(2)
    }
    return bytes
}
