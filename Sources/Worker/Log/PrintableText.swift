/// A JSON string (RFC 8259 §7).
///
/// Controls of both sets are escaped, as are the line separators that JavaScript takes for
/// newlines, so that one entry is one line in every reader.
func quotedAsJSON(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": quoted += "\\\""
        case "\\": quoted += "\\\\"
        case "\n": quoted += "\\n"
        case "\r": quoted += "\\r"
        case "\t": quoted += "\\t"
        default:
            if breaksLine(scalar) {
                quoted += escape(scalar)
            } else {
                quoted.unicodeScalars.append(scalar)
            }
        }
    }
    return quoted + "\""
}

/// Text that can't move a terminal's cursor or forge a second line.
package func printable(_ text: String) -> String {
    var printable = ""
    for scalar in text.unicodeScalars {
        if breaksLine(scalar) {
            printable += escape(scalar)
        } else {
            printable.unicodeScalars.append(scalar)
        }
    }
    return printable
}

private func breaksLine(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control || scalar.value == 0x2028
        || scalar.value == 0x2029
}

private func escape(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
}
