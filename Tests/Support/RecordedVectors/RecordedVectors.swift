internal import FoundationEssentials

/// The recorded vectors: those in the repository, and those in a folder beside it.
package enum RecordedVectors {
    /// All vectors, sorted by name.
    ///
    /// - Throws: when a file can't be read or is not a vector, or when there is none.
    package static func all() throws -> [RecordedVector] {
        var vectors: [String: RecordedVector] = [:]
        for folder in [ownFolder] + (otherFolder.map { [$0] } ?? []) {
            for file in try FileManager.default.contentsOfDirectory(atPath: folder)
            where file.hasSuffix(".json") {
                let data = try Data(contentsOf: URL(filePath: "\(folder)/\(file)"))
                vectors[file] = try JSONDecoder().decode(RecordedVector.self, from: data)
            }
        }
        guard !vectors.isEmpty else { throw CocoaError(.fileNoSuchFile) }
        return vectors.values.sorted { $0.name < $1.name }
    }

    /// The vectors of one kind, sorted by name.
    package static func all(_ kind: RecordedVector.Kind) throws -> [RecordedVector] {
        try all().filter { $0.kind == kind }
    }

    /// The vector with a name.
    package static func named(_ name: String) throws -> RecordedVector {
        let data = try Data(contentsOf: URL(filePath: "\(ownFolder)/\(name).json"))
        return try JSONDecoder().decode(RecordedVector.self, from: data)
    }

    /// `Tests/Vectors` of this package.
    package static var ownFolder: String {
        "\(packageRoot)/Tests/Vectors"
    }

    /// The folder that ATTEST_VECTORS names, or `../shared/vectors`, where there is one.
    private static var otherFolder: String? {
        if let named = ProcessInfo.processInfo.environment["ATTEST_VECTORS"] { return named }
        let beside = "\(packageRoot)/../shared/vectors"
        return FileManager.default.fileExists(atPath: beside) ? beside : nil
    }

    private static let packageRoot: String = {
        var path = #filePath
        for _ in 0..<4 {
            path = URL(filePath: path).deletingLastPathComponent().path
        }
        return path
    }()
}
