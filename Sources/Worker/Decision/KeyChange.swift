/// What an operator does to keys, beside running workers.
package enum KeyChange: Hashable, Sendable {
    /// The most bytes of a reason.
    package static let reasonBytesMax = 256

    /// No request of the key is accepted any more; all that is stored of it stays.
    case revoke(reason: String)
    /// Nothing of the key stays but a tombstone, so that a registration that comes again from the
    /// topic can't bring it back.
    case erase

    /// What becomes of a key.
    ///
    /// A tombstone can't be revoked, and a key that is revoked keeps its first reason.
    ///
    /// - Parameters:
    ///   - key: what is stored, under lock; nil if nothing is.
    ///   - appID: the app that the operator named.
    /// - Returns: the answer to the operator.
    package func outcome(for key: StoredKey?, appID: String) -> KeyChangeOutcome {
        guard let key else { return .unknown }
        guard key.appID.utf8.elementsEqual(appID.utf8) else { return .ofOtherApp }
        switch (key.status, self) {
        case (.erased, _): return .unchanged(.erased)
        case (.revoked, .revoke): return .unchanged(.revoked)
        case (.active, .revoke): return .changed(.revoked)
        case (.active, .erase), (.revoked, .erase): return .changed(.erased)
        }
    }

    /// The key afterwards; to be asked only of one that changes.
    package func applied(to key: StoredKey) -> StoredKey {
        var key = key
        switch self {
        case .revoke:
            key.status = .revoked
        case .erase:
            key.status = .erased
            key.publicKey = []
            key.subject = nil
            key.certificate = nil
        }
        return key
    }
}

/// What became of a key that an operator wanted changed.
package enum KeyChangeOutcome: Hashable, Sendable {
    /// It has this status now.
    case changed(KeyStatus)
    /// It had this status before, and keeps it.
    case unchanged(KeyStatus)
    /// It belongs to another app than the one named; nothing was changed.
    case ofOtherApp
    /// Nothing is stored of it.
    case unknown
}
