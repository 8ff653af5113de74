/// What was measured, for people as Markdown and for programs as JSON.
package struct Table {
    /// A column: what people read above it, and the name of its values in JSON.
    package struct Column {
        let title: String
        let member: String

        /// A column.
        package init(_ title: String, _ member: String) {
            self.title = title
            self.member = member
        }
    }

    /// A value in a row.
    package enum Cell {
        case text(String)
        /// A number, shown with so many digits behind the point.
        case number(Double, digits: Int)

        /// A whole number.
        package static func whole(_ number: Int) -> Cell {
            .number(Double(number), digits: 0)
        }
    }

    /// The name of the table's rows in JSON.
    package let name: String
    /// The sentence above it.
    package let title: String
    private let columns: [Column]
    private var rows: [[Cell]] = []

    /// A table without rows.
    package init(_ name: String, title: String, _ columns: [Column]) {
        self.name = name
        self.title = title
        self.columns = columns
    }

    /// Title, names of the columns and the line below them.
    package var head: String {
        let marks = columns.map { _ in "---:" }
        return title + "\n\n" + line(columns.map(\.title)) + "\n" + line(marks)
    }

    /// Adds a row.
    ///
    /// - Parameter row: a cell for each column.
    /// - Returns: the row as Markdown.
    package mutating func add(_ row: [Cell]) -> String {
        precondition(row.count == columns.count, "a row has a cell for each column")
        rows.append(row)
        return line(row.map(\.shown))
    }

    /// A member of a JSON object: the name, and an array with an object for each row.
    package var json: String {
        let objects = rows.map { row in
            let members = zip(columns, row).map { #""\#($0.member)":\#($1.json)"# }
            return "{" + members.joined(separator: ",") + "}"
        }
        return #""\#(name)":["# + objects.joined(separator: ",\n") + "]"
    }

    private func line(_ cells: [String]) -> String {
        "| " + cells.joined(separator: " | ") + " |"
    }
}

extension Table.Cell {
    fileprivate var shown: String {
        switch self {
        case .text(let text): text
        case .number(let value, let digits): grouped(decimal(value, digits: digits))
        }
    }

    fileprivate var json: String {
        switch self {
        case .text(let text): #""\#(text)""#
        case .number(let value, let digits): decimal(value, digits: digits)
        }
    }
}

/// A decimal number with its thousands set apart.
private func grouped(_ number: String) -> String {
    let whole = number.prefix { $0 != "." }
    var groups = ""
    for (place, digit) in whole.enumerated() {
        if place > 0, (whole.count - place).isMultiple(of: 3) { groups += "," }
        groups.append(digit)
    }
    return groups + number.dropFirst(whole.count)
}
