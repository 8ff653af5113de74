import FoundationEssentials

/// A verdict as its readers see it: the value of a record of the verdict topic.
///
/// Read by the names of the schema alone, so that a test which reads with it notices a name that
/// the worker has changed by accident. Encoded with sorted names and slashes as they are, it has
/// the bytes that the worker publishes.
public struct ReceivedVerdict: Codable, Hashable, Sendable {
    /// Where the decided record lies.
    public struct Source: Codable, Hashable, Sendable {
        /// The request topic.
        public var topic: String
        /// The partition of the request.
        public var partition: Int32
        /// The offset of the request.
        public var offset: Int64
    }

    /// What Apple last told of the key's risk.
    public struct Risk: Codable, Hashable, Sendable {
        /// About how many keys the device made for the app in 30 days.
        public var metric: UInt32
        /// When Apple made the receipt that tells it, RFC 3339 in UTC.
        public var asOf: String
    }

    /// What an accepted registration is answered with, where its app gets tokens.
    public struct AppCheckToken: Codable, Hashable, Sendable {
        /// A JSON Web Token.
        public var token: String
        /// For how long it is good: decimal seconds and an `s`.
        public var ttl: String
    }

    /// The verdict's identity: the same whenever the same request is answered again.
    public var verdictId: String
    /// The gateway's request id, if it sent one that can be read.
    public var requestId: String?
    /// `registration`, `assertion`, `challenge` or `consume`; nil where the message did not tell.
    public var type: String?
    /// `accepted` or `rejected`.
    public var outcome: String
    /// Why it is rejected, one of the codes in `schemas/`; nil when it is accepted.
    public var reason: String?
    /// On accepted requests: the reasons that policies set to report would have rejected it for.
    public var wouldReject: [String]?
    /// What the app shall do before it asks again: `reattest`, `new_challenge`.
    public var action: String?
    /// Whether a rejected request may succeed when it is sent again as another one.
    public var retryable: Bool?
    /// The key id in standard base64, where the message named one.
    public var keyId: String?
    /// The app, once it is proved.
    public var appId: String?
    /// On accepted requests: the key's risk, where it is known.
    public var risk: Risk?
    /// `production` or `development`, once it is proved.
    public var environment: String?
    /// The sign count that the object carries, once it is proved.
    public var signCount: UInt32?
    /// True on accepted assertions that a higher sign count overtook; nil for all others.
    public var outOfOrder: Bool?
    /// True for devices that are no phones, as this kit's; nil for all others.
    public var simulated: Bool?
    /// On accepted registrations: whether the key was known before.
    public var reattested: Bool?
    /// On registrations: whether the receipt is `valid` or `invalid`; nil where none was judged.
    public var receipt: String?
    /// Why the receipt is invalid, one of the codes in `schemas/`.
    public var receiptReason: String?
    /// The validation category that an OS 27 object carries.
    public var validationCategory: UInt32?
    /// The bundle version that an OS 27 object carries.
    public var bundleVersion: String?
    /// The code directory hash that an OS 27 object carries: `sha256:` and hexadecimal digits.
    public var cdHash: String?
    /// Whether flag ED announces what an OS 27 object carries.
    public var extensionsAnnounced: Bool?
    /// `iphoneos` or `macosx`.
    public var platform: String?
    /// The system's version in the credential certificate.
    public var osVersion: String?
    /// The owner that the request named.
    public var subject: String?
    /// On accepted App Check registrations: the artifact, in standard base64.
    public var artifact: String?
    /// On accepted registrations: the app's token, where it gets any.
    public var appCheckToken: AppCheckToken?
    /// On accepted assertions: the app's token, a JSON Web Token, where it gets any.
    public var token: String?
    /// True of a token that was consumed before; nil where it is consumed for the first time.
    public var alreadyConsumed: Bool?
    /// A challenge that was asked for, in standard base64.
    public var challenge: String?
    /// For how long what is handed out is good: decimal seconds and an `s`.
    public var ttl: String?
    /// Where the decided record lies.
    public var source: Source

    /// Reads the value of a verdict record.
    ///
    /// - Parameter bytes: JSON; members that are not known are passed over.
    /// - Throws: `DecodingError` where it is no JSON, or lacks what every verdict has.
    public init(parsing bytes: [UInt8]) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(bytes))
    }
}
