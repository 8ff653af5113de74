public import AppAttest

/// Ways in which a receipt says something else; its signature is genuine.
///
/// | lies | a verifier must say |
/// | --- | --- |
/// | ``otherType`` | `receipt_type` |
/// | ``otherApp`` | `receipt_app_id` |
/// | ``otherKey``, ``otherCertificate``, ``noCertificate`` | `receipt_public_key` |
/// | ``otherClientDataHash``, ``noClientDataHash`` | `receipt_client_hash` |
/// | ``otherEnvironment`` | `receipt_environment` |
/// | ``old`` | `receipt_too_old` |
/// | ``early`` | `receipt_from_the_future` |
/// | ``expired`` | `receipt_expired` |
/// | all others | `receipt_malformed` |
public enum ReceiptContentLie: String, Hashable, Sendable, CaseIterable {
    /// It is of the type that it must not be: `RECEIPT` in an attestation, `ATTEST` otherwise.
    case otherType
    /// It is of a type that there is not.
    case unknownType
    /// It is for another app.
    case otherApp
    /// Its certificate is of another key.
    case otherKey
    /// Its certificate is of the same key, but was issued at another time.
    case otherCertificate
    /// Its certificate is none.
    case noCertificate
    /// It repeats another client data hash.
    case otherClientDataHash
    /// It repeats no client data hash.
    case noClientDataHash
    /// It is of the other environment.
    case otherEnvironment
    /// It is of an environment that there is not.
    case unknownEnvironment
    /// It was created ten minutes ago.
    case old
    /// It was created in ten minutes.
    case early
    /// It expired a second ago.
    case expired
    /// The creation time is missing.
    case noCreationTime
    /// The creation time has four digits of a fraction.
    case longFraction
    /// The creation time is of another offset than UTC.
    case otherOffset
    /// The creation time is the 31st of November.
    case noSuchDay
    /// The risk metric is no number.
    case riskMetricNoNumber
    /// The app id stands there twice, both times the same.
    case appIDTwice
    /// A field that nobody knows stands there twice.
    case unknownFieldTwice
    /// The app id is of version 2.
    case otherVersion
    /// There are a hundred fields that nobody knows.
    case manyFields
    /// A length takes two bytes where one would do.
    case longLength
    /// A byte follows the content.
    case trailingByte
    /// There is no content: zero bytes.
    case empty

    /// What a verifier must say.
    public var rejection: RejectionCode {
        switch self {
        case .otherType: .receiptType
        case .otherApp: .receiptAppID
        case .otherKey, .otherCertificate, .noCertificate: .receiptPublicKey
        case .otherClientDataHash, .noClientDataHash: .receiptClientHash
        case .otherEnvironment: .receiptEnvironment
        case .old: .receiptTooOld
        case .early: .receiptFromTheFuture
        case .expired: .receiptExpired
        case .unknownType, .unknownEnvironment, .noCreationTime, .longFraction, .otherOffset,
            .noSuchDay, .riskMetricNoNumber, .appIDTwice, .unknownFieldTwice, .otherVersion,
            .manyFields, .longLength, .trailingByte, .empty:
            .receiptMalformed
        }
    }

    /// Changes what a receipt says.
    func apply(to draft: inout ReceiptDraft, of device: SimulatedDevice, at instant: Instant) {
        switch self {
        case .otherType: draft.swapType()
        case .unknownType: draft.replace(6, "attest")
        case .otherApp: draft.replace(2, device.otherAppID)
        case .otherKey: draft.replace(3, device.receiptCertificate(of: .otherKey, at: instant))
        case .otherCertificate:
            draft.replace(3, device.receiptCertificate(of: nil, at: instant.adding(days: -1)))
        case .noCertificate: draft.replace(3, "certificate")
        case .otherClientDataHash: draft.flipLastBit(4)
        case .noClientDataHash: draft.fields.removeAll { $0.type == 4 }
        case .otherEnvironment:
            draft.replace(7, device.environment == .production ? "sandbox" : "production")
        case .unknownEnvironment: draft.replace(7, "Production")
        case .old: draft.replace(12, ReceiptDraft.text(instant.adding(seconds: -600)))
        case .early: draft.replace(12, ReceiptDraft.text(instant.adding(seconds: 600)))
        case .expired: draft.replace(21, ReceiptDraft.text(instant.adding(seconds: -1)))
        case .noCreationTime: draft.fields.removeAll { $0.type == 12 }
        case .longFraction: draft.replace(12, "2026-11-30T12:00:00.1234Z")
        case .otherOffset: draft.replace(12, "2026-11-30T12:00:00.123+00:00")
        case .noSuchDay: draft.replace(12, "2026-11-31T12:00:00.123Z")
        case .riskMetricNoNumber:
            draft.fields.removeAll { $0.type == 17 }
            draft.fields.append(ReceiptDraft.Field(17, "-1"))
        case .appIDTwice: draft.fields.append(ReceiptDraft.Field(2, device.appID))
        case .unknownFieldTwice:
            draft.fields += [ReceiptDraft.Field(99, "a"), ReceiptDraft.Field(99, "b")]
        case .otherVersion: draft.changeVersion(2, to: 2)
        case .manyFields:
            draft.fields += (100..<200).map { ReceiptDraft.Field($0, "") }
        case .longLength, .trailingByte, .empty: break
        }
    }

    /// Changes the encoded content.
    func apply(to content: inout [UInt8]) {
        switch self {
        case .longLength:
            // The version of the first field: an INTEGER of one byte, at the end of the first ten.
            if let place = content.firstIndex(of: 0x02) {
                content.replaceSubrange(place...place + 1, with: [0x02, 0x81, 0x01])
            }
        case .trailingByte: content.append(0x00)
        case .empty: content = []
        default: break
        }
    }
}

extension ReceiptDraft {
    fileprivate mutating func replace(_ type: UInt64, _ value: [UInt8]) {
        for place in fields.indices where fields[place].type == type {
            fields[place].value = value
        }
    }

    fileprivate mutating func replace(_ type: UInt64, _ text: String) {
        replace(type, Array(text.utf8))
    }

    fileprivate mutating func flipLastBit(_ type: UInt64) {
        for place in fields.indices where fields[place].type == type {
            fields[place].value.flipLastBit()
        }
    }

    fileprivate mutating func changeVersion(_ type: UInt64, to version: UInt64) {
        for place in fields.indices where fields[place].type == type {
            fields[place].version = version
        }
    }

    fileprivate mutating func swapType() {
        let isAttest = fields.contains { $0.type == 6 && $0.value == Array("ATTEST".utf8) }
        replace(6, isAttest ? "RECEIPT" : "ATTEST")
    }
}

extension Instant {
    fileprivate func adding(seconds: Int64) -> Instant {
        Instant(milliseconds: milliseconds + seconds * 1000)
    }
}
