package import AppAttest
internal import LibCrypto

/// Where the key for Apple's server is, and how it is called.
package struct ProviderAccess: Hashable, Sendable {
    /// The path of the file `AuthKey_….p8`.
    package var keyPath: String
    /// The key's id; nil: as the file's name tells it.
    package var keyID: String?
    /// The team's id.
    package var teamID: String

    /// Access from its parts.
    package init(keyPath: String, keyID: String?, teamID: String) {
        self.keyPath = keyPath
        self.keyID = keyID
        self.teamID = teamID
    }

    /// The key's id: as it was set, or as Apple names the file, `AuthKey_ABC123DEFG.p8`.
    package var effectiveKeyID: String? {
        if let keyID { return keyID }
        let name = keyPath.split(separator: "/").last ?? ""
        guard name.hasPrefix("AuthKey_"), name.hasSuffix(".p8") else { return nil }
        let id = String(name.dropFirst(8).dropLast(3))
        return Self.isID(id) ? id : nil
    }

    /// Whether a text may be the id of a key or of a team: 10 letters and digits.
    ///
    /// It stands in a token as it is.
    package static func isID(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: false
                }
            }
    }
}

/// Has a token at hand; reads the key's file anew for each, so that a key can be replaced while the
/// process runs.
package struct ProviderTokens {
    private let access: Live<ProviderAccess?>
    private let read: (String) -> [UInt8]?
    private var seenVersion = 0
    private var current: ProviderToken?

    /// No token yet.
    ///
    /// - Parameters:
    ///   - access: where the key is; may be replaced.
    ///   - read: the bytes of a file, nil if it can't be read.
    package init(_ access: Live<ProviderAccess?>, read: @escaping (String) -> [UInt8]?) {
        self.access = access
        self.read = read
    }

    /// A token that may be used now.
    ///
    /// - Throws: `.retry` when the file can't be read or holds no key; what is wrong and where.
    package mutating func token(at now: Instant) throws(Fault) -> ProviderToken {
        let isReplaced = access.newer(than: &seenVersion) != nil
        if !isReplaced, let current, current.isFresh(at: now) { return current }
        let token = ProviderToken(try key(), at: now)
        current = token
        return token
    }

    /// The server refuses the token: the next one is made with the key that is there then.
    package mutating func discard() {
        current = nil
    }

    /// The key as it is in its file now.
    package func key() throws(Fault) -> ProviderKey {
        guard let access = access.value else {
            throw fault("key_unset", "receipts.keyPath is not set any more")
        }
        guard let pem = read(access.keyPath) else {
            throw fault("key_unreadable", "the file of receipts.keyPath can't be read")
        }
        guard let key = P256SigningKey(pem: pem) else {
            throw fault(
                "key_invalid",
                "the file of receipts.keyPath must hold a P-256 private key in PEM, not encrypted")
        }
        guard let id = access.effectiveKeyID else {
            throw fault("key_unnamed", "receipts.keyId must be set, as the file's name has no id")
        }
        return ProviderKey(keyID: id, teamID: access.teamID, key: key)
    }

    private func fault(_ code: String, _ message: String) -> Fault {
        Fault(operation: "sign in to Apple", code: code, disposition: .retry, message: message)
    }
}
