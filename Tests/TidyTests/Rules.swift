/// The rules of the house that neither the compiler nor the formatter checks.
///
/// Each gives the places where it is broken, as `path:line: what`.
enum Rules {
    /// Which modules each target may import: one way, from the program down to libcrypto.
    static let imports: [String: Set<String>] = {
        let system: Set = ["Foundation", "FoundationEssentials", "Synchronization", "Dispatch"]
        let libc: Set = ["Glibc"]
        let worker: Set = ["Worker", "Wire", "AppAttest", "LibCrypto"]
        return [
            "CCryptoShims": [],
            "LibCrypto": libc.union(["CCrypto", "CCryptoShims", "Synchronization"]),
            "AppAttest": ["LibCrypto"],
            "Wire": system.union(["AppAttest", "LibCrypto"]),
            "Worker": system.union(["Wire", "AppAttest", "LibCrypto"]),
            "KafkaTransport": system.union(libc).union(worker).union(["CRdkafka"]),
            "PostgresStore": system.union(libc).union(worker).union(["CPQ"]),
            "Operations": system.union(libc).union(worker).union(["CMicrohttpd"]),
            "Gateway": system.union(libc).union(worker).union(["KafkaTransport", "Operations"]),
            "SeededNumbers": [],
            "CCurlShims": [],
            "HTTPClient": ["CCurl", "CCurlShims"],
            "AppleReceipts": worker.union(["HTTPClient"]),
            "TraceExport": system.union(["Wire", "Worker", "HTTPClient"]),
            "AttestTestKit": system.union(["AppAttest", "LibCrypto"]),
            "attest-worker": system.union(libc).union(worker).union([
                "KafkaTransport", "PostgresStore", "Operations", "AttestTestKit", "SeededNumbers",
                "TraceExport", "AppleReceipts", "HTTPClient", "Gateway",
            ]),
        ]
    }()

    /// Imports that run the wrong way, or of a C library away from its home.
    static func wrongImports(in file: TextFile) -> [String] {
        guard let target = file.target, file.path.hasSuffix(".swift") else { return [] }
        guard let allowed = imports[target] else {
            return ["\(file.path):1: target \(target) is not in the table of imports"]
        }
        return places(in: file) { line in
            let words = line.split(separator: " ")
            guard let position = words.firstIndex(of: "import"), position + 1 < words.count,
                words[..<position].allSatisfy({ $0 == "@testable" || isAccess($0) })
            else { return nil }
            let module = String(words[position + 1].prefix { $0 != "." })
            return allowed.contains(module) ? nil : "\(target) may not import \(module)"
        }
    }

    private static func isAccess(_ word: Substring) -> Bool {
        ["public", "package", "internal", "fileprivate", "private"].contains(word)
    }

    /// What ends the process on input, hides an error, or pulls in a large library.
    static func forbiddenCode(in file: TextFile) -> [String] {
        guard let target = file.target, file.path.hasSuffix(".swift") else { return [] }
        let wrapsC = ["HTTPClient", "KafkaTransport", "LibCrypto", "PostgresStore"].contains(target)
        return places(in: file) { line in
            for word in ["try!", "as!", "fatalError(", "String(format:", "unowned(unsafe)"]
            where line.contains(word) { return word }
            if !wrapsC {
                for word in ["@unchecked Sendable", "nonisolated(unsafe)"]
                where line.contains(word) { return word }
            }
            return unwraps(line) ? "forced unwrapping" : nil
        }
    }

    /// Whether a value is followed by `!` that is no comparison.
    private static func unwraps(_ line: String) -> Bool {
        let characters = Array(line)
        return characters.indices.dropFirst().contains { position in
            let before = characters[position - 1]
            let after = position + 1 < characters.count ? characters[position + 1] : " "
            return characters[position] == "!" && after != "="
                && (before.isLetter || before.isNumber || [")", "]", "_", "`"].contains(before))
        }
    }

    /// Marks of unfinished work, and words that only make sense on one machine.
    static func leftovers(in file: TextFile) -> [String] {
        // Put together here, so that this file does not hold them.
        let words = ["TO" + "DO", "FIX" + "ME", "HA" + "CK", "/wo" + "rk/"]
        return file.lines.enumerated().flatMap { position, line in
            words.filter(line.contains).map { "\(file.path):\(position + 1): \($0)" }
        }
    }

    /// Files of more than 400 lines, lines of more than 100 columns.
    static func sizes(of file: TextFile) -> [String] {
        var found: [String] = []
        if file.lines.count > 401 { found.append("\(file.path): \(file.lines.count) lines") }
        for (position, line) in file.lines.enumerated() where line.count > 100 {
            found.append("\(file.path):\(position + 1): \(line.count) columns")
        }
        return found
    }

    /// Functions of more than 60 lines, their head and closing brace included.
    ///
    /// In formatted code a body ends at the first line that is indented no further than its head
    /// and is no part of it; where that is no brace, there was no body.
    static func longFunctions(in file: TextFile) -> [String] {
        let code = file.code
        return code.indices.compactMap { start -> String? in
            guard isFunctionHead(code[start]) else { return nil }
            let indent = code[start].prefix { $0 == " " }
            let end = code[(start + 1)...].firstIndex { line in
                guard line.contains(where: { $0 != " " }) else { return false }
                let isHead = [")", "where ", "{", "->"].contains { line.hasPrefix(indent + $0) }
                return line.prefix { $0 == " " }.count <= indent.count && !isHead
            }
            guard let end, code[end].hasPrefix(indent + "}"), end - start + 1 > 60 else {
                return nil
            }
            return "\(file.path):\(start + 1): \(end - start + 1) lines"
        }
    }

    private static func isFunctionHead(_ line: String) -> Bool {
        let words = line.split(whereSeparator: { " (<?".contains($0) })
        let isHead = words.contains("func") || words.contains("init") || words.contains("deinit")
        // A head on one line, or the first line of one that is broken; calls have a dot before.
        return isHead && !line.contains(".init") && !line.hasSuffix("}")
            && !line.contains("self.init") && !line.contains("super.init")
    }

    private static func places(
        in file: TextFile, _ broken: (String) -> String?
    ) -> [String] {
        file.code.enumerated().compactMap { position, line in
            broken(line).map { "\(file.path):\(position + 1): \($0)" }
        }
    }
}
