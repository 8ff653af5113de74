internal import CCrypto

/// The calling thread's error queue in libcrypto.
enum OpenSSLErrorQueue {
    /// Empties the queue.
    ///
    /// libcrypto only ever appends to it. What a refused object leaves there would surface as the
    /// reason of a later, unrelated failure on the same thread (TLS to the database shares it).
    static func clear() {
        ERR_clear_error()
    }

    /// Whether nothing is in the queue.
    static var isEmpty: Bool {
        ERR_peek_error() == 0
    }
}
