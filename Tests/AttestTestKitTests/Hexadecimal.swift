/// The bytes of hexadecimal text without spaces; digits that are none count as 0.
func bytes(_ text: String) -> [UInt8] {
    let digits = text.map { UInt8($0.hexDigitValue ?? 0) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
