/// Which attest-worker this is.
enum Version {
    /// By semantic versioning; messages, settings and exit codes are what it speaks of.
    static let text = "0.1.0"
}
