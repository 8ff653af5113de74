/// The name that was probably meant, if one is near enough.
///
/// - Parameters:
///   - name: what was written.
///   - names: what exists.
/// - Returns: the nearest by edit distance, at most a third of its letters away, or the one whose
///   last part is the same; nil if none is.
package func closest(to name: String, among names: [String]) -> String? {
    let last = name.split(separator: ".").last.map(String.init) ?? name
    if let sameEnd = names.first(where: { $0.hasSuffix("." + last) }) { return sameEnd }
    let distances = names.map { (name: $0, distance: editDistance(lowercase(name), lowercase($0))) }
    guard let nearest = distances.min(by: { $0.distance < $1.distance }),
        nearest.distance <= max(1, nearest.name.count / 3)
    else { return nil }
    return nearest.name
}

private func lowercase(_ text: String) -> [UInt8] {
    // A name longer than any that exists can't be near one, and the distance costs its square.
    Array(text.lowercased().utf8.prefix(100))
}

/// The least number of letters to insert, delete or replace (Levenshtein), row by row.
private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var previous = Array(0...right.count)
    for (row, letter) in left.enumerated() {
        var current = [row + 1]
        for (column, other) in right.enumerated() {
            let replaced = previous[column] + (letter == other ? 0 : 1)
            current.append(min(replaced, previous[column + 1] + 1, current[column] + 1))
        }
        previous = current
    }
    return previous[right.count]
}
