import AppAttest
import FoundationEssentials

/// What a receipt says before it is signed: everything in it can be changed.
///
/// | type | meaning | in `ATTEST` | in `RECEIPT` |
/// | ---: | --- | --- | --- |
/// | 2 | app id | yes | yes |
/// | 3 | credential certificate | yes | yes |
/// | 4 | client data hash | as the app gave it | mangled |
/// | 5 | token: base64 of 64 bytes | yes | yes |
/// | 6 | type of the receipt | yes | yes |
/// | 7 | environment, `sandbox` or `production` | yes | yes |
/// | 12 | creation time | yes | yes |
/// | 17 | risk metric | no | yes |
/// | 19 | not before: a day after the creation | no | yes |
/// | 21 | expiration time: 90 days after the creation | yes | yes |
struct ReceiptDraft {
    /// In the order in which they are written, which is Apple's and not sorted.
    var fields: [Field]

    struct Field {
        var type: UInt64
        var version: UInt64 = 1
        var value: [UInt8]

        init(_ type: UInt64, _ value: [UInt8]) {
            self.type = type
            self.value = value
        }

        init(_ type: UInt64, _ text: String) {
            self.init(type, Array(text.utf8))
        }
    }

    /// The receipt inside an attestation.
    init(attested key: AttestedKey, at instant: Instant) {
        fields = [
            Field(2, key.appID), Field(3, key.certificate), Field(4, key.clientDataHash.bytes),
            Field(5, key.token), Field(6, "ATTEST"), Field(7, key.environmentName),
            Field(12, Self.text(instant)), Field(21, Self.text(instant.adding(days: 90))),
        ]
    }

    /// The receipt that a refresh gives.
    ///
    /// Apple decodes the client data hash as if it were UTF-8 on the way: what is none of it
    /// became U+FFFD in every recorded receipt of this type.
    init(refreshed key: AttestedKey, riskMetric: UInt32, at instant: Instant) {
        fields = [
            Field(17, String(riskMetric)), Field(6, "RECEIPT"), Field(2, key.appID),
            Field(3, key.certificate),
            Field(4, String(decoding: key.clientDataHash.bytes, as: UTF8.self)),
            Field(5, key.token), Field(7, key.environmentName), Field(12, Self.text(instant)),
            Field(19, Self.text(instant.adding(days: 1))),
            Field(21, Self.text(instant.adding(days: 90))),
        ]
    }

    /// What the receipts of a key say in every generation.
    struct AttestedKey {
        var appID: String
        var environment: AttestationEnvironment
        /// In DER.
        var certificate: [UInt8]
        var clientDataHash: ClientDataHash
        /// 64 bytes in base64.
        var token: String

        var environmentName: String {
            switch environment {
            case .development: "sandbox"
            case .production: "production"
            }
        }
    }

    /// The content of the signed data: SET OF SEQUENCE of type, version and value.
    var encoded: [UInt8] {
        DER.set(
            fields.flatMap {
                DER.sequence(
                    DER.integer($0.type), DER.integer($0.version), DER.octetString($0.value))
            })
    }

    /// RFC 3339 in UTC, with milliseconds that end in no zero but for a single one.
    static func text(_ instant: Instant) -> String {
        let seconds = instant.wholeSeconds
        let date = Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
        var fraction = String(1000 + instant.milliseconds - seconds * 1000).dropFirst()
        while fraction.count > 1, fraction.last == "0" { fraction.removeLast() }
        return "\(date.dropLast()).\(fraction)Z"
    }
}
