internal import CCrypto

/// Algorithms that are looked up in libcrypto once.
///
/// `EVP_sha256()` is only a name: each use of it searches the providers, under a lock.
enum Algorithms {
    /// SHA-256; never freed, as it is used until the process ends.
    nonisolated(unsafe) static let sha256: OpaquePointer = {
        guard let algorithm = EVP_MD_fetch(nil, "SHA256", nil) else {
            preconditionFailure("libcrypto has SHA-256 and memory for it")
        }
        return algorithm
    }()
}
