/// Which attest-worker this is.
enum Version {
    /// By semantic versioning; messages, settings and exit codes are what it speaks of.
    static let text = "0.1.0"

    /// The compiler's version, as far as it can be asked for.
    #if compiler(>=6.4)
        static let swift = "6.4 or newer"
    #elseif compiler(>=6.3)
        static let swift = "6.3"
    #else
        static let swift = "6.2"
    #endif
}
