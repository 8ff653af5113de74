import LibCrypto
import Worker

/// What the files hold that Kafka's clients are made with: librdkafka reads them once, when a
/// client is made.
struct ClientFiles: Hashable, Sendable {
    /// The properties that name such a file.
    static let properties = [
        "ssl.ca.location", "ssl.certificate.location", "ssl.key.location", "ssl.crl.location",
        "ssl.keystore.location",
    ]

    /// A digest by property; none of a file that can't be read, or of a folder.
    private let digests: [String: Digest32]
    private let paths: [String: String]

    /// Looks at the files of these settings.
    ///
    /// - Parameters:
    ///   - settings: the properties that name them.
    ///   - readFile: gives a file's bytes.
    init(of settings: Settings.Kafka, _ readFile: SettingsReader.ReadFile) {
        paths = settings.properties.filter { Self.properties.contains($0.key) }
        digests = paths.compactMapValues { path in
            (try? readFile(path)).map { SHA256.hash($0) }
        }
    }

    /// The keys of settings whose file has another content under the same path.
    func changes(since old: ClientFiles) -> [String] {
        paths.keys.sorted().filter { name in
            paths[name] == old.paths[name] && digests[name] != old.digests[name]
        }.map { "kafka.properties.\($0) (its file)" }
    }
}
