internal import LibCrypto

/// Whose keys are counted together: an owner within an app.
///
/// Compared byte by byte: two spellings of one accent are two owners, as in the database.
package struct KeyOwner: Hashable, Sendable {
    /// The app.
    package let appID: String
    private let subjectBytes: [UInt8]

    /// An owner from its parts.
    package init(appID: String, subject: String) {
        self.appID = appID
        subjectBytes = Array(subject.utf8)
    }

    /// The owner, as the gateway names it.
    package var subject: String {
        String(decoding: subjectBytes, as: UTF8.self)
    }

    /// The number of the lock under which the owner's keys are counted.
    ///
    /// The first eight bytes of a SHA-256: should two owners ever share one, one of them waits for
    /// the other for nothing.
    package var lockNumber: Int64 {
        let digest = SHA256.hash(Array("owner\u{0}\(appID)\u{0}".utf8), subjectBytes)
        return Int64(bitPattern: digest.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }
}
