internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// A temporary folder; gone when nobody holds it any more.
package final class Folder: Sendable {
    /// Its path.
    package let path: String
    private let isKept = Mutex(environmentValue("ATTEST_TEST_KEEP") != nil)

    /// Makes a new one.
    ///
    /// - Parameter name: what its name begins with.
    /// - Throws: ``HarnessFailure`` when that is impossible.
    package init(_ name: String) throws {
        var template = Array("\(environmentValue("TMPDIR") ?? "/tmp")/\(name).XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw HarnessFailure("mkdtemp failed with errno \(errno)")
        }
        path = template.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
    }

    deinit {
        if !isKept.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Leaves it where it is: to be looked into after a failure.
    package func keep() {
        isKept.withLock { $0 = true }
    }

    /// The path of a file in it.
    package func path(_ name: String) -> String {
        path + "/" + name
    }

    /// Writes a file in it.
    ///
    /// - Returns: the file's path.
    package func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: path(name)))
        return path(name)
    }
}
