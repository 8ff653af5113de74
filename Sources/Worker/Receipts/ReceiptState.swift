package import AppAttest

/// What a verified receipt says of its own time and of its key.
package struct ReceiptFacts: Hashable, Sendable {
    /// When Apple made it.
    package var createdAt: Instant
    /// Before this moment Apple gives no other one; nil in the receipt of an attestation.
    package var notBefore: Instant?
    /// From this moment on it is dead, and nothing comes after it.
    package var expiresAt: Instant
    /// About how many keys this device made for this app in 30 days; nil in the receipt of an
    /// attestation.
    package var metric: UInt32?

    /// Facts from their parts.
    package init(createdAt: Instant, notBefore: Instant?, expiresAt: Instant, metric: UInt32?) {
        self.createdAt = createdAt
        self.notBefore = notBefore
        self.expiresAt = expiresAt
        self.metric = metric
    }
}

extension ReceiptFacts {
    /// What a verified receipt says.
    package init(_ receipt: VerifiedReceipt) {
        self.init(
            createdAt: receipt.creationTime, notBefore: receipt.notBefore,
            expiresAt: receipt.expirationTime
                ?? receipt.creationTime.advanced(by: .seconds(90 * 86_400)),
            metric: receipt.riskMetric.flatMap { UInt32(exactly: $0) })
    }

    /// What the receipt inside an attestation says, as far as can be told without reading it: it is
    /// read, and verified, before it is sent anywhere.
    static func expected(at instant: Instant) -> ReceiptFacts {
        ReceiptFacts(
            createdAt: instant, notBefore: nil,
            expiresAt: instant.advanced(by: .seconds(90 * 86_400)), metric: nil)
    }
}

/// Why no further receipt is asked for, until the key is attested again.
package enum ReceiptEnd: String, Hashable, Sendable, CaseIterable {
    /// It expired before Apple gave another one.
    case expired
    /// Apple refused it several times: it is of the other environment, or damaged.
    case refused
    /// It is none that Apple signed for this key.
    case invalid
}

/// What is stored of a key's newest receipt, without its bytes.
package struct ReceiptState: Hashable, Sendable {
    /// The key.
    package var keyID: KeyID
    /// When the receipt was made; of one that was not read yet, when its key was attested.
    package var createdAt: Instant
    /// Before this moment Apple gives no other one.
    package var notBefore: Instant?
    /// From this moment on it is dead; of one that was not read yet, a guess.
    package var expiresAt: Instant
    /// The metric that Apple told last.
    package var metric: UInt32?
    /// When the receipt was made that told it.
    package var metricAsOf: Instant?
    /// How often in a row Apple was asked without a new receipt for it.
    package var failures: Int32
    /// When it is to be asked next; nil: not before the key is seen again, or never.
    package var nextAttempt: Instant?
    /// Why nothing is asked any more.
    package var end: ReceiptEnd?

    /// The state of a receipt that came with an attestation.
    ///
    /// - Parameters:
    ///   - keyID: the key.
    ///   - facts: what its receipt says.
    ///   - rules: when it is asked about first.
    package init(_ keyID: KeyID, _ facts: ReceiptFacts, _ rules: RefreshRules) {
        self.init(
            keyID: keyID, createdAt: facts.createdAt, notBefore: facts.notBefore,
            expiresAt: facts.expiresAt, failures: 0,
            nextAttempt: RefreshSchedule.first(of: facts, keyID, rules))
    }

    /// A state from its parts.
    package init(
        keyID: KeyID, createdAt: Instant, notBefore: Instant?, expiresAt: Instant,
        metric: UInt32? = nil, metricAsOf: Instant? = nil, failures: Int32, nextAttempt: Instant?,
        end: ReceiptEnd? = nil
    ) {
        self.keyID = keyID
        self.createdAt = createdAt
        self.notBefore = notBefore
        self.expiresAt = expiresAt
        self.metric = metric
        self.metricAsOf = metricAsOf
        self.failures = failures
        self.nextAttempt = nextAttempt
        self.end = end
    }
}
