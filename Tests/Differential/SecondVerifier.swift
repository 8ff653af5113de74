import Foundation

/// `check.py` on the Python of `.build/differential`, which `deploy/python-environment.sh` makes.
enum SecondVerifier {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    private static let python = folder.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: ".build/differential/bin/python")

    /// Whether there is such a Python.
    static let isThere = FileManager.default.isExecutableFile(atPath: python.path())

    /// The reason for each refused case by its id, null for each accepted one.
    ///
    /// Blocks a thread while the script runs.
    static func reasons(for cases: [DifferentialCase]) throws -> [String: String?] {
        let input = FileManager.default.temporaryDirectory
            .appending(path: "attest-worker-cases-\(UUID().uuidString).json")
        try JSONEncoder().encode(cases).write(to: input)
        defer { try? FileManager.default.removeItem(at: input) }
        let process = Process()
        let output = Pipe()
        process.executableURL = python
        process.arguments = [folder.appending(path: "check.py").path(), input.path()]
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(code: process.terminationStatus) }
        return try JSONDecoder().decode([String: String?].self, from: text)
    }

    /// The script ended otherwise than by having judged all cases.
    struct Failure: Error {
        var code: Int32
    }
}
