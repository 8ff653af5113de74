import Glibc
import Worker

/// The process as commands see it: its streams, its environment, its files.
///
/// Tests hand in one of their own.
struct Console: Sendable {
    /// All environment variables.
    var environment: [String: String]
    /// Writes all of it to standard output; false if that failed.
    var writeOutput: @Sendable ([UInt8]) -> Bool
    /// Writes to standard error, where a failure can't be told to anyone.
    var writeError: @Sendable ([UInt8]) -> Void
    /// The bytes of a file.
    var readFile: SettingsReader.ReadFile
    /// The bytes of standard input, to its end.
    var readInput: @Sendable () throws(SettingsReader.UnreadableFile) -> [UInt8]
    /// Microseconds since 1970.
    var clock: Log.Clock

    /// The most bytes that are read of a file or of standard input.
    static let inputBytesMax = 16 << 20

    /// Prints what was asked for.
    ///
    /// - Returns: success, or 70, told on standard error, if standard output could not take it.
    func answer(_ text: String) -> ExitCode {
        guard writeOutput(Array(text.utf8)) else {
            complain("attest-worker: standard output is closed or full\n")
            return .software
        }
        return .success
    }

    /// Tells a person what is wrong.
    func complain(_ text: String) {
        writeError(Array(text.utf8))
    }
}

extension Console {
    /// The real process.
    static var process: Console {
        Console(
            environment: currentEnvironment(),
            writeOutput: { writeAll($0, to: STDOUT_FILENO) },
            writeError: { _ = writeAll($0, to: STDERR_FILENO) },
            readFile: { path throws(SettingsReader.UnreadableFile) in
                let descriptor = open(path, O_RDONLY | O_CLOEXEC)
                guard descriptor >= 0 else { throw .init(message: reason(errno)) }
                defer { close(descriptor) }
                return try read(from: descriptor)
            },
            readInput: { () throws(SettingsReader.UnreadableFile) in
                try read(from: STDIN_FILENO)
            },
            clock: {
                var now = timespec()
                clock_gettime(CLOCK_REALTIME, &now)
                return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
            })
    }
}

/// Writes everything, however many calls it takes; false, and `errno` tells why, if that failed.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
        let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if written > 0 {
            rest = rest.dropFirst(written)
        } else if written == 0 || errno != EINTR {
            return false
        }
    }
    return true
}

/// Reads to the end, up to the limit.
private func read(from descriptor: Int32) throws(SettingsReader.UnreadableFile) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = chunk.withUnsafeMutableBytes {
            Glibc.read(descriptor, $0.baseAddress, $0.count)
        }
        if count > 0 {
            bytes += chunk.prefix(count)
            guard bytes.count <= Console.inputBytesMax else {
                throw .init(message: "is larger than \(Console.inputBytesMax) bytes")
            }
        } else if count == 0 {
            return bytes
        } else if errno != EINTR {
            throw .init(message: reason(errno))
        }
    }
}

/// The rest of a sentence about a file that could not be read.
private func reason(_ code: Int32) -> String {
    switch code {
    case ENOENT, ENOTDIR: "does not exist"
    case EACCES, EPERM: "may not be read by this user"
    case EISDIR: "is a directory"
    default: "can't be read (errno \(code))"
    }
}

/// The variables as they were when the process started; of one given twice, the first.
private func currentEnvironment() -> [String: String] {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
        let parts = String(cString: text).split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, variables[String(parts[0])] == nil {
            variables[String(parts[0])] = String(parts[1])
        }
        entry += 1
    }
    return variables
}
