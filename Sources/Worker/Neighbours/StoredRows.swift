package import AppAttest
package import LibCrypto

// The rows of the database, as values.

/// Whether a key may be used.
package enum KeyStatus: String, Hashable, Sendable, CaseIterable {
    /// Registered and in use.
    case active
    /// Revoked by an operator.
    case revoked
    /// Erased: only a tombstone is left, without public key.
    case erased
}

/// Whose root a key's attestation ended at.
package enum KeyAuthority: String, Hashable, Sendable, CaseIterable {
    /// Apple's: the key lives in a real device.
    case apple
    /// That of an app marked simulated: whoever holds the root's key may have made this one.
    case simulated
}

/// What is stored of a key.
package struct StoredKey: Hashable, Sendable {
    /// The key.
    package var keyID: KeyID
    /// The app it belongs to, for ever.
    package var appID: String
    /// The environment it was attested in.
    package var environment: AttestationEnvironment
    /// 65 bytes, X9.63 uncompressed; empty on a tombstone.
    package var publicKey: [UInt8]
    /// The highest sign count accepted.
    package var signCount: UInt32
    /// The owner it was bound to at registration.
    package var subject: String?
    /// Whether it may be used.
    package var status: KeyStatus
    /// Whose root its attestation ended at.
    package var attestedBy: KeyAuthority
    /// The serial number of the certificate it was attested with first; nil of a key that was
    /// registered before serial numbers were kept, and on a tombstone.
    package var certificate: CertificateSerial?
    /// The day of its last attestation's record; nil on a tombstone.
    ///
    /// Of a key that an earlier version stored, and that was not attested since, it is the day on
    /// which it was stored.
    package var attestedOn: Day?
    /// The day of the last record that was accepted; nil on a tombstone.
    ///
    /// Nil too of a key that an earlier version stored, until it is used.
    package var lastUsedOn: Day?
    /// Which counts below some sign count were accepted, as stored; nil where no window ever was.
    package var window: SeenCounts?
    /// Whether it was attested again after it was stored; nil on a tombstone.
    ///
    /// Nil too of a key that an earlier version stored, until it is attested again.
    package var reattested: Bool?

    /// Which counts below the row's sign count were accepted.
    package var seen: SeenCounts {
        guard let window, window.highest == signCount else {
            return SeenCounts(allUpTo: signCount)
        }
        return window
    }

    /// A row from its parts.
    package init(
        keyID: KeyID, appID: String, environment: AttestationEnvironment, publicKey: [UInt8],
        signCount: UInt32, subject: String?, status: KeyStatus, attestedBy: KeyAuthority,
        certificate: CertificateSerial? = nil, attestedOn: Day? = nil, lastUsedOn: Day? = nil,
        window: SeenCounts? = nil, reattested: Bool? = nil
    ) {
        self.keyID = keyID
        self.appID = appID
        self.environment = environment
        self.publicKey = publicKey
        self.signCount = signCount
        self.subject = subject
        self.status = status
        self.attestedBy = attestedBy
        self.certificate = certificate
        self.attestedOn = attestedOn
        self.lastUsedOn = lastUsedOn
        self.window = window
        self.reattested = reattested
    }
}

/// A request's identity: the first 16 bytes of a digest over the gateway's request id, or over the
/// record's place and timestamp where it sent none.
package struct RequestIdentity: Hashable, Sendable, Comparable {
    /// The whole digest; stores keep its first 16 bytes.
    package let digest: Digest32

    /// An identity from its digest.
    package init(_ digest: Digest32) {
        self.digest = digest
    }

    /// Orders as the bytes do: the order in which inbox rows are inserted.
    package static func < (left: RequestIdentity, right: RequestIdentity) -> Bool {
        left.digest < right.digest
    }

    /// The 16 bytes that are stored.
    package var storedBytes: [UInt8] {
        Array(digest.bytes.prefix(16))
    }
}

/// A decided request as the inbox keeps it.
package struct InboxEntry: Hashable, Sendable {
    /// The request.
    package var identity: RequestIdentity
    /// SHA-256 of the request's content.
    package var contentDigest: Digest32
    /// The verdict, byte for byte as it was published.
    package var verdict: [UInt8]

    /// An entry from its parts.
    package init(identity: RequestIdentity, contentDigest: Digest32, verdict: [UInt8]) {
        self.identity = identity
        self.contentDigest = contentDigest
        self.verdict = verdict
    }
}

/// A partition's progress row, as stored.
package struct Progress: Hashable, Sendable {
    /// Rises with each claim; a lane that holds an older one is fenced.
    package var epoch: Int64
    /// The first offset that is not decided yet.
    package var nextOffset: Int64
    /// The first offset whose verdict is not known to be delivered; at most ``nextOffset``.
    ///
    /// It trails by a batch, as it is written with the next one. It is where to start when the
    /// group's committed offset is gone: from ``nextOffset``, the verdicts of a batch that was
    /// decided and never published would be lost.
    package var publishedOffset: Int64
    /// The latest timestamp of a decided record, in milliseconds since 1970.
    package var lastTimestampMilliseconds: Int64

    /// A row from its parts.
    package init(
        epoch: Int64, nextOffset: Int64, publishedOffset: Int64, lastTimestampMilliseconds: Int64
    ) {
        self.epoch = epoch
        self.nextOffset = nextOffset
        self.publishedOffset = publishedOffset
        self.lastTimestampMilliseconds = lastTimestampMilliseconds
    }
}
