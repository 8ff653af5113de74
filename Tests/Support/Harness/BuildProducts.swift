internal import FoundationEssentials
internal import Glibc

/// A variable of this process's environment.
package func environmentValue(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}

/// The executables that were built beside the test bundle.
package enum BuildProducts {
    /// The path of an executable.
    ///
    /// - Parameter name: its product's name.
    /// - Returns: the path.
    /// - Throws: ``HarnessFailure`` when it is not there.
    package static func executable(_ name: String) throws -> String {
        let path = try folder() + "/" + name
        guard access(path, X_OK) == 0 else {
            throw HarnessFailure("\(path) is missing: build it first (`swift build`)")
        }
        return path
    }

    /// The folder of the running test bundle, which on Linux is an executable itself.
    private static func folder() throws -> String {
        let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return String(bundle.prefix(upTo: bundle.lastIndex(of: "/") ?? bundle.startIndex))
    }
}
