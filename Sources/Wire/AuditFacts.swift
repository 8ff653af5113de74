internal import AppAttest
internal import FoundationEssentials

/// What is kept of a decision beside its digests: enough to explain it later, nothing that tells
/// who asked.
///
/// No key id, no subject, no request id and no verdict id: without those of the inbox, which
/// forgets them, nobody can tell whose the decision was.
package struct AuditFacts: Hashable, Sendable, Codable {
    /// The key's row as it was found, under lock.
    package struct Stored: Hashable, Sendable, Codable {
        /// `production` or `development`.
        package var environment: String
        /// The highest sign count accepted until then.
        package var signCount: UInt32
        /// `active`, `revoked` or `erased`.
        package var status: String
        /// Whose it was: `same` as the request's subject, `other`, `none` of an unbound key,
        /// `unnamed` where the request named none.
        package var owner: String

        /// Facts from their parts.
        package init(environment: String, signCount: UInt32, status: String, owner: String) {
            self.environment = environment
            self.signCount = signCount
            self.status = status
            self.owner = owner
        }
    }

    /// What Apple last told of the key's risk.
    package struct Risk: Hashable, Sendable, Codable {
        /// When Apple told it: RFC 3339, in UTC.
        package var asOf: String
        /// About how many keys the device made for the app in 30 days.
        package var metric: UInt32

        /// A risk as a verdict tells it.
        package init(_ standing: RiskStanding) {
            asOf = standing.asOf.riskText
            metric = standing.metric
        }
    }

    /// Where the decided record lies.
    package struct Source: Hashable, Sendable, Codable {
        /// The request topic.
        package var topic: String
        /// The partition.
        package var partition: Int32
        /// The offset.
        package var offset: Int64
    }

    /// Whether the key was erased since: then nothing else is known.
    package var erased: Bool?
    /// `accepted` or `rejected`.
    package var outcome: String?
    /// Why it was rejected.
    package var reason: String?
    /// Why it would be rejected, were the policies in force that only report.
    package var wouldReject: [String]?
    /// `registration`, `assertion`, `challenge` or `consume`.
    package var type: String?
    /// The app, once it was proved.
    package var appId: String?
    /// The environment, once it was proved.
    package var environment: String?
    /// Whether the app's devices are simulated.
    package var simulated: Bool?
    /// Whether the registration was one of a known key.
    package var reattested: Bool?
    /// The sign count that the object carries.
    package var signCount: UInt32?
    /// Signed validation category.
    package var validationCategory: UInt32?
    /// Signed bundle version.
    package var bundleVersion: String?
    /// Signed code directory hash: its digest's name, a colon, hexadecimal.
    package var cdHash: String?
    /// Whether flag ED announces what is signed of the app's code.
    package var extensionsAnnounced: Bool?
    /// Whether a higher sign count was accepted before.
    package var outOfOrder: Bool?
    /// On tokens that were consumed: `true` of one that was consumed before.
    package var alreadyConsumed: Bool?
    /// Platform in the credential certificate.
    package var platform: String?
    /// OS version in the credential certificate.
    package var osVersion: String?
    /// What came of the receipt of an attestation: `valid` or `invalid`; nil where none was asked.
    package var receipt: String?
    /// Why it is invalid.
    package var receiptReason: String?
    /// The risk that the decision rested on; nil if none was known.
    ///
    /// Of verdicts only those that accept tell it.
    package var risk: Risk?
    /// The timestamp of the record, at which it was judged, in milliseconds since 1970.
    package var recordMilliseconds: Int64?
    /// Where the record lies.
    package var source: Source?
    /// The key's row; nil if there was none.
    package var stored: Stored?

    /// The facts of a verdict.
    ///
    /// - Parameters:
    ///   - verdict: what was decided.
    ///   - recordMilliseconds: the record's timestamp.
    ///   - stored: the key's row as it was found.
    ///   - risk: what was known of the key's risk, whether or not the verdict tells it.
    package init(
        _ verdict: Verdict, recordMilliseconds: Int64?, stored: Stored?,
        risk: RiskStanding? = nil
    ) {
        outcome = verdict.outcome.name
        reason = verdict.outcome.reason?.code
        wouldReject = verdict.wouldReject.isEmpty ? nil : verdict.wouldReject.map(\.code)
        type = verdict.kind?.rawValue
        appId = verdict.appID
        environment = verdict.environment?.rawValue
        simulated = verdict.isSimulated ? true : nil
        reattested = verdict.reattested
        signCount = verdict.signCount
        validationCategory = verdict.validationCategory
        bundleVersion = verdict.bundleVersion
        cdHash = verdict.cdHash
        extensionsAnnounced = verdict.areExtensionsAnnounced
        outOfOrder = verdict.isOutOfOrder ? true : nil
        alreadyConsumed = verdict.isConsumedBefore == true ? true : nil
        platform = verdict.platform
        osVersion = verdict.osVersion
        receipt = verdict.receipt?.name
        receiptReason = verdict.receipt?.reason?.rawValue
        self.risk = risk.map(Risk.init)
        self.recordMilliseconds = recordMilliseconds
        source = Source(
            topic: verdict.source.topic, partition: verdict.source.partition,
            offset: verdict.source.offset)
        self.stored = stored
    }

    private init() {}

    /// What stays once the key is erased.
    package static let ofErased: AuditFacts = {
        var facts = AuditFacts()
        facts.erased = true
        return facts
    }()

    /// Reads facts as they were stored, or as a verdict of the inbox has them; nil if that fails.
    ///
    /// - Parameter stored: the bytes of ``encoded``, or of ``Verdict/encode()``: their names agree.
    package init?(parsing stored: [UInt8]) {
        guard let facts = try? JSONDecoder().decode(AuditFacts.self, from: Data(stored)) else {
            return nil
        }
        self = facts
    }

    /// JSON, names sorted; nil only if a text is no Unicode, which Swift's can't be.
    package var encoded: [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map(Array.init)
    }
}
