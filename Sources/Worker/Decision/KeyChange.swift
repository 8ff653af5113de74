/// What an operator does to keys, beside running workers.
package enum KeyChange: Hashable, Sendable {
    /// The most bytes of a reason.
    package static let reasonBytesMax = 256

    /// No request of the key is accepted any more; all that is stored of it stays.
    case revoke(reason: String)
    /// The key belongs to another owner from now on.
    case move(to: String, reason: String)
    /// Nothing of the key stays but a tombstone, so that a registration that comes again from the
    /// topic can't bring it back.
    case erase

    /// What becomes of a key.
    ///
    /// A tombstone can't be revoked, a key that is revoked keeps its first reason, and neither is
    /// moved.
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
        case (.revoked, .revoke), (.revoked, .move): return .unchanged(.revoked)
        case (.active, .move(let subject, _)):
            let isOwner = key.subject?.utf8.elementsEqual(subject.utf8) ?? false
            return isOwner ? .ownedBefore : .moved
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
        case .move(let subject, _):
            key.subject = subject
        case .erase:
            key.status = .erased
            key.publicKey = []
            key.subject = nil
            key.certificate = nil
            key.attestedOn = nil
            key.lastUsedOn = nil
            key.reattested = nil
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
    /// It belongs to the owner that was named.
    case moved
    /// It belonged to that owner before.
    case ownedBefore
    /// It belongs to another app than the one named; nothing was changed.
    case ofOtherApp
    /// Nothing is stored of it.
    case unknown

    /// Whether anything is to be written.
    package var isChange: Bool {
        switch self {
        case .changed, .moved: true
        case .unchanged, .ownedBefore, .ofOtherApp, .unknown: false
        }
    }
}
