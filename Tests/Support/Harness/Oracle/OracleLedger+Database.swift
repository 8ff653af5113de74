internal import LibCrypto

/// An inbox row, as far as the oracle looks at it.
package struct StoredVerdict: Hashable, Sendable {
    /// SHA-256 of its bytes, in lower-case hexadecimal.
    package let sha256: String
    /// The key id of an accepted assertion.
    package let keyID: String?
    /// The sign count of an accepted assertion.
    package let signCount: UInt32?

    /// A row from its parts.
    package init(sha256: String, keyID: String? = nil, signCount: UInt32? = nil) {
        self.sha256 = sha256
        self.keyID = keyID
        self.signCount = signCount
    }
}

extension OracleLedger {
    /// What PostgreSQL holds, after the last request was answered.
    ///
    /// - Parameters:
    ///   - verdicts: every row of the inbox.
    ///   - signCounts: every key's sign count, by key id in base64.
    package mutating func stored(_ verdicts: [StoredVerdict], signCounts: [String: UInt32]) {
        for subject in unanswered.prefix(Self.findingsMax) {
            find(.answered, subject, "has no answer")
        }
        checkBytes(verdicts)
        checkAccepted(verdicts)
        checkSignCounts(signCounts)
    }

    private mutating func checkBytes(_ verdicts: [StoredVerdict]) {
        var rows: [String: Int] = [:]
        for verdict in verdicts { rows[verdict.sha256, default: 0] += 1 }
        for (digest, count) in rows where count > 1 {
            find(.equal, nil, "the verdict \(digest) is stored \(count) times")
        }
        for (subject, found) in cases where found.isStored {
            guard let digest = found.digest.map({ hexadecimal($0.bytes) }) else { continue }
            if rows.removeValue(forKey: digest) == nil {
                find(.equal, subject, "its bytes are not those of any inbox row")
            }
        }
        for digest in rows.keys { find(.equal, nil, "the stored verdict \(digest) has no reader") }
    }

    private mutating func checkAccepted(_ verdicts: [StoredVerdict]) {
        var stored: [String: Int] = [:]
        for verdict in verdicts {
            guard let key = verdict.keyID, let count = verdict.signCount else { continue }
            stored["\(key) \(count)", default: 0] += 1
        }
        for (subject, found) in cases where found.isStored {
            guard let count = found.request.acceptedSignCount else { continue }
            let pair = "\(found.request.keyID) \(count)"
            if stored.removeValue(forKey: pair) != 1 {
                find(.accepted, subject, "\(pair) is not stored as accepted, once")
            }
        }
        for pair in stored.keys { find(.accepted, nil, "\(pair) is accepted, and nobody sent it") }
    }

    private mutating func checkSignCounts(_ signCounts: [String: UInt32]) {
        var highest: [String: UInt32] = [:]
        for found in cases.values {
            let key = found.request.keyID
            if let count = found.request.acceptedSignCount {
                highest[key] = max(highest[key] ?? 0, count)
            } else if found.request.expectation.isAcceptance {
                highest[key] = highest[key] ?? 0
            }
        }
        for (key, count) in highest where signCounts[key] != count {
            let stored = signCounts[key].map(String.init) ?? "none"
            find(.signCounts, nil, "key \(key) shall be at \(count), is at \(stored)")
        }
        for key in signCounts.keys where highest[key] == nil {
            find(.signCounts, nil, "key \(key) is stored, and nobody registered it")
        }
    }
}

extension OracleLedger.Case {
    /// Whether the inbox must hold its verdict.
    fileprivate var isStored: Bool {
        if isForgotten { return false }
        return switch request.expectation {
        case .deadLetter, .rejected("request_id_conflict"): false
        case .accepted, .rejected: true
        }
    }
}

private func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
}
