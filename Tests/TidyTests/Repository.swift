import Foundation

/// The checked-out repository.
enum Repository {
    /// Its root folder.
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// All files below a folder with one of these endings, sorted by path.
    ///
    /// - Parameters:
    ///   - folder: relative to the root.
    ///   - endings: such as `swift`; none for all files.
    /// - Returns: those that are text.
    static func files(in folder: String, _ endings: String...) -> [TextFile] {
        let start = root.appending(path: folder)
        guard
            let walk = FileManager.default.enumerator(
                at: start, includingPropertiesForKeys: [.isRegularFileKey],
                options: [.skipsHiddenFiles])
        else { return [] }
        return walk.compactMap { $0 as? URL }
            .filter { endings.isEmpty || endings.contains($0.pathExtension) }
            .compactMap { TextFile(at: $0) }
            .sorted { $0.path < $1.path }
    }

    /// One file, if it is there.
    static func file(_ path: String) -> TextFile? {
        TextFile(at: root.appending(path: path))
    }

    /// All Swift files.
    static let swift = files(in: "Sources", "swift") + files(in: "Tests", "swift")

    /// Everything that is written for people or machines, but for recorded bytes.
    static let everything =
        files(in: "Sources") + files(in: "Tests", "swift", "md", "c", "h", "sh")
        + files(in: "deploy") + files(in: "docs") + files(in: "schemas")
        + ["README.md", "RUNBOOK.md", "Package.swift", ".ci/run"].compactMap(file)
}

/// A file as text.
struct TextFile {
    /// Relative to the repository's root.
    let path: String
    /// Its text.
    let text: String

    /// A text that need not be on the disk.
    init(path: String, text: String) {
        self.path = path
        self.text = text
    }

    init?(at url: URL) {
        guard let data = try? Data(contentsOf: url),
            let text = String(data: data, encoding: .utf8)
        else { return nil }
        let path = url.standardizedFileURL.path()
        self.init(path: String(path.dropFirst(Repository.root.path().count)), text: text)
    }

    /// Its lines without newlines.
    var lines: [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The target it belongs to: the folder below `Sources`.
    var target: String? {
        let parts = path.split(separator: "/")
        return parts.count > 2 && parts[0] == "Sources" ? String(parts[1]) : nil
    }

    /// Its lines without comments and without what stands in quotes.
    ///
    /// Enough for code that swift-format has been over; quotes over several lines are left in.
    var code: [String] {
        lines.map { line in
            var code = ""
            var isQuoted = false
            var isEscaped = false
            var previous: Character = " "
            for character in line {
                if isQuoted {
                    if character == "\"", !isEscaped { isQuoted = false }
                    isEscaped = character == "\\" && !isEscaped
                } else if character == "\"" {
                    isQuoted = true
                } else if character == "/", previous == "/" {
                    code.removeLast()
                    break
                } else {
                    code.append(character)
                }
                previous = character
            }
            return code
        }
    }
}
