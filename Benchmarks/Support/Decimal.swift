/// A number with so many digits behind the point.
package func decimal(_ value: Double, digits: Int) -> String {
    guard value.isFinite else { return "0" }
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = Int((value * scale).rounded())
    guard digits > 0 else { return String(scaled) }
    let fraction = String(scaled % Int(scale))
    return "\(scaled / Int(scale))."
        + String(repeating: "0", count: digits - fraction.count) + fraction
}
