/// Columns of text, aligned by spaces, for a person to read.
struct TextTable {
    /// On which side the cells of a column are flush.
    enum Alignment {
        case left
        case right
    }

    private let columns: [(title: String, alignment: Alignment)]
    private var rows: [[String]] = []

    init(_ columns: [(title: String, alignment: Alignment)]) {
        self.columns = columns
    }

    /// Adds a row; cells that are missing stay empty.
    mutating func add(_ cells: [String]) {
        let padding = [String](repeating: "", count: max(0, columns.count - cells.count))
        rows.append(Array((cells + padding).prefix(columns.count)))
    }

    /// Title, rule and rows, each a line without blanks at its end.
    var lines: [String] {
        let widths = columns.indices.map { column in
            (rows + [columns.map(\.title)]).map { $0[column].count }.max() ?? 0
        }
        let rule = widths.map { String(repeating: "-", count: $0) }
        return ([columns.map(\.title), rule] + rows).map { line($0, widths: widths) }
    }

    private func line(_ cells: [String], widths: [Int]) -> String {
        var line = ""
        for (cell, (width, column)) in zip(cells, zip(widths, columns)) {
            let padding = String(repeating: " ", count: max(0, width - cell.count))
            line += column.alignment == .left ? cell + padding : padding + cell
            line += "  "
        }
        while line.last == " " { line.removeLast() }
        return line
    }
}
