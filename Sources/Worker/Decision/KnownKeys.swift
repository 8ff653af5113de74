internal import AppAttest

/// Keys that were read lately, so that the next assertion of one is verified without asking the
/// database for it again.
///
/// Of a row, verification asks for the status, which an operator may change, and for point, app,
/// environment and root, which nothing of ours ever changes. It does no harm if what is remembered
/// is out of date, as the row decides: it is read anew under lock before anything is accepted, and
/// a key that is not as it was remembered is forgotten.
///
/// Two generations as in ``PublicKeyCache``: a key that is asked for again stays, one that isn't
/// leaves.
struct KnownKeys: Hashable {
    /// The most keys that are kept, of both generations.
    static let keysMax = 8192

    private var young: [KeyID: StoredKey] = [:]
    private var old: [KeyID: StoredKey] = [:]
    private let keysMax: Int

    /// Nothing is known.
    init(keysMax: Int = Self.keysMax) {
        self.keysMax = keysMax
    }

    /// How many keys are kept.
    var count: Int { young.count + old.count }

    /// Those of the keys that are remembered.
    mutating func keys(for keyIDs: Set<KeyID>) -> [KeyID: StoredKey] {
        var found: [KeyID: StoredKey] = [:]
        found.reserveCapacity(keyIDs.count)
        for keyID in keyIDs {
            if let key = young[keyID] {
                found[keyID] = key
            } else if let key = old.removeValue(forKey: keyID) {
                found[keyID] = key
                keep(key)
            }
        }
        return found
    }

    /// Remembers what was read; a key that may not be used is asked for each time.
    mutating func note(_ read: [KeyID: StoredKey]) {
        for key in read.values where key.status == .active { keep(key) }
    }

    /// Forgets keys that are not stored as they are remembered.
    ///
    /// - Parameters:
    ///   - keyIDs: the keys that were asked for, under lock.
    ///   - stored: those that are there.
    /// - Returns: all of those, if one was remembered otherwise; nil if none was.
    mutating func forgetOutdated(
        _ keyIDs: Set<KeyID>, stored: [KeyID: StoredKey]
    ) -> [KeyID: StoredKey]? {
        var isOutdated = false
        for keyID in keyIDs {
            guard let known = young[keyID] ?? old[keyID] else { continue }
            if let key = stored[keyID], key.isJudged(like: known) { continue }
            forget(keyID)
            isOutdated = true
        }
        return isOutdated ? stored : nil
    }

    /// Forgets a key.
    mutating func forget(_ keyID: KeyID) {
        young[keyID] = nil
        old[keyID] = nil
    }

    private mutating func keep(_ key: StoredKey) {
        if young.count >= keysMax / 2 {
            old = young
            young.removeAll(keepingCapacity: true)
        }
        young[key.keyID] = key
    }
}

extension StoredKey {
    /// Whether an object is judged the same by this row as by another of the same key: all that
    /// ``Judge`` asks of a row is the same.
    fileprivate func isJudged(like other: StoredKey) -> Bool {
        status == other.status && publicKey == other.publicKey && appID == other.appID
            && environment == other.environment && attestedBy == other.attestedBy
    }
}
