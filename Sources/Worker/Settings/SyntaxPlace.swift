/// Where a text stops being JSON5, for an error message: the decoder does not tell.
///
/// It looks at a text that the decoder has refused, and only at its shape: brackets, commas,
/// colons, quotes, comments. What a word or a number may look like is left to the decoder, so that
/// it may find nothing.
struct SyntaxPlace: Hashable {
    /// Counted from 1.
    let line: Int
    /// Counted from 1, in characters.
    let column: Int
    /// What is wrong there: the rest of a sentence.
    let problem: String

    /// The first place at which a text is no JSON5; nil if none is found.
    ///
    /// - Parameter text: UTF-8.
    init?(in text: [UInt8]) {
        var scanner = ShapeScanner(text)
        guard let problem = scanner.firstProblem() else { return nil }
        let before = text.prefix(problem.offset)
        line = before.count { $0 == newline } + 1
        let start = before.lastIndex(of: newline).map { $0 + 1 } ?? 0
        // Bytes that go on with a character are none of their own.
        column = before[start...].count { $0 & 0xC0 != 0x80 } + 1
        self.problem = problem.text
    }
}

private let newline = UInt8(ascii: "\n")

/// Walks over JSON5 without keeping anything of it.
private struct ShapeScanner {
    struct Problem: Error {
        let offset: Int
        let text: String
    }

    /// Values within values: deeper ones are for the decoder to refuse.
    private static let depthMax = 200

    private let text: [UInt8]
    private var offset = 0

    init(_ text: [UInt8]) {
        self.text = text
    }

    mutating func firstProblem() -> Problem? {
        do throws(Problem) {
            try value(depth: 0)
            try blanks()
            guard offset == text.count else { throw problem("nothing more may follow") }
            return nil
        } catch {
            return error
        }
    }

    private var next: UInt8? { offset < text.count ? text[offset] : nil }

    private func problem(_ words: String) -> Problem {
        Problem(offset: offset, text: next == nil ? "the text ends too early: \(words)" : words)
    }

    private mutating func value(depth: Int) throws(Problem) {
        guard depth < Self.depthMax else { throw problem("too many brackets within each other") }
        try blanks()
        switch next {
        case UInt8(ascii: "{"): try members(depth: depth)
        case UInt8(ascii: "["): try elements(depth: depth)
        case UInt8(ascii: "\""), UInt8(ascii: "'"): try string()
        default: try word("a value is missing")
        }
    }

    private mutating func members(depth: Int) throws(Problem) {
        let start = offset
        offset += 1
        while true {
            try blanks()
            if take("}") { return }
            try isOpen("{", since: start)
            if next == UInt8(ascii: "\"") || next == UInt8(ascii: "'") {
                try string()
            } else {
                try word("a key or \"}\" is missing")
            }
            try blanks()
            guard take(":") else { throw problem("a colon is missing behind the key") }
            try value(depth: depth + 1)
            try blanks()
            if take(",") || next == UInt8(ascii: "}") { continue }
            try isOpen("{", since: start)
            throw problem("a comma or \"}\" is missing")
        }
    }

    private mutating func elements(depth: Int) throws(Problem) {
        let start = offset
        offset += 1
        while true {
            try blanks()
            if take("]") { return }
            try isOpen("[", since: start)
            try value(depth: depth + 1)
            try blanks()
            if take(",") || next == UInt8(ascii: "]") { continue }
            try isOpen("[", since: start)
            throw problem("a comma or \"]\" is missing")
        }
    }

    /// At the end of the text the bracket that was never closed is of more use than the end.
    private func isOpen(_ bracket: String, since start: Int) throws(Problem) {
        guard next == nil else { return }
        throw Problem(offset: start, text: "this \"\(bracket)\" is never closed")
    }

    private mutating func string() throws(Problem) {
        let start = offset
        let quote = text[offset]
        offset += 1
        while let byte = next {
            offset += 1
            if byte == quote { return }
            if byte == newline { break }
            // Whatever is escaped, it is no end; a line that goes on is one byte, or two.
            if byte == UInt8(ascii: "\\") {
                offset += text[offset...].starts(with: [0x0D, newline]) ? 2 : 1
            }
        }
        throw Problem(offset: start, text: "this quote is never closed")
    }

    /// A number, a word, or a key without quotes.
    private mutating func word(_ complaint: String) throws(Problem) {
        let start = offset
        while let byte = next, isOfWord(byte) { offset += 1 }
        guard offset > start else { throw problem(complaint) }
    }

    private func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
            true
        default:
            "+-._$\\".utf8.contains(byte)
        }
    }

    /// White space and comments.
    private mutating func blanks() throws(Problem) {
        while let byte = next {
            if byte == 0x20 || (0x09...0x0D).contains(byte) {
                offset += 1
            } else if text[offset...].starts(with: "//".utf8) {
                while let byte = next, byte != newline { offset += 1 }
            } else if text[offset...].starts(with: "/*".utf8) {
                let start = offset
                offset += 2
                while !text[offset...].starts(with: "*/".utf8) {
                    guard next != nil else {
                        throw Problem(offset: start, text: "this comment is never closed")
                    }
                    offset += 1
                }
                offset += 2
            } else {
                return
            }
        }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }
}
