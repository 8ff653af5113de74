import Synchronization
import Worker

@testable import attest_worker

/// A console in memory.
final class TestConsole: Sendable {
    private let output = Mutex<[UInt8]>([])
    private let errors = Mutex<[UInt8]>([])

    /// What went to standard output.
    var outputText: String { output.withLock { String(decoding: $0, as: UTF8.self) } }
    /// What went to standard error.
    var errorText: String { errors.withLock { String(decoding: $0, as: UTF8.self) } }

    /// The console that commands get.
    func console(
        environment: [String: String] = [:], files: [String: String] = [:], input: String = "",
        microseconds: Int64 = 0
    ) -> Console {
        Console(
            environment: environment,
            writeOutput: { bytes in
                self.output.withLock { $0 += bytes }
                return true
            },
            writeError: { bytes in self.errors.withLock { $0 += bytes } },
            readFile: { path throws(SettingsReader.UnreadableFile) in
                guard let text = files[path] else { throw .init(message: "does not exist") }
                return Array(text.utf8)
            },
            readInput: { () throws(SettingsReader.UnreadableFile) in Array(input.utf8) },
            clock: { microseconds })
    }
}
