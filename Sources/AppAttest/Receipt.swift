internal import LibCrypto

/// What a receipt says, every field typed: nothing in it is believed yet.
///
/// The content of the signed data is `SET OF SEQUENCE { type INTEGER, version INTEGER, value OCTET
/// STRING }` in DER. The set is not sorted, and other types than these are let pass.
///
/// | type | field | value | in `ATTEST` | in `RECEIPT` |
/// | ---: | --- | --- | --- | --- |
/// | 2 | app id | text | yes | yes |
/// | 3 | certificate | the credential certificate in DER | yes | yes |
/// | 4 | client data hash | bytes | exact | mangled at Apple |
/// | 6 | type | `ATTEST` or `RECEIPT` | yes | yes |
/// | 7 | environment | `sandbox` or `production` | yes | yes |
/// | 12 | creation time | RFC 3339 | yes | yes |
/// | 17 | risk metric | decimal text | no | yes |
/// | 19 | not before | RFC 3339 | no | yes |
/// | 21 | expiration time | RFC 3339 | yes | yes |
///
/// Source: Apple, "Assessing fraud risk"; field 7 and all forms from recorded receipts.
public struct Receipt: Hashable, Sendable {
    /// Which of the two kinds it is: field 6.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The one inside an attestation.
        case attest = "ATTEST"
        /// The one that a refresh gives.
        case refreshed = "RECEIPT"
    }

    /// The fields that are read, by their types.
    public enum Field: UInt32, Hashable, Sendable, CaseIterable {
        /// The app id.
        case appID = 2
        /// The credential certificate, which Apple's text calls the attested public key.
        case certificate = 3
        /// The client data hash.
        case clientDataHash = 4
        /// `ATTEST` or `RECEIPT`.
        case type = 6
        /// `sandbox` or `production`.
        case environment = 7
        /// When Apple made the receipt.
        case creationTime = 12
        /// About how many keys the device made for the app in 30 days.
        case riskMetric = 17
        /// From when on the receipt may be refreshed.
        case notBefore = 19
        /// From when on the receipt is of no use.
        case expirationTime = 21
    }

    /// The most fields that are read; receipts have up to ten.
    public static let fieldCountMax = 64

    /// Which of the two kinds it is.
    public let kind: Kind
    /// The app id.
    public let appID: String
    /// The credential certificate, DER, not looked into.
    public let certificate: [UInt8]
    /// The client data hash, exact in receipts of the kind `attest` only; nil where there is none.
    public let clientDataHash: [UInt8]?
    /// The environment; nil where there is none, as Apple documents no such field.
    public let environment: AttestationEnvironment?
    /// When Apple made the receipt.
    public let creationTime: Instant
    /// About how many keys the device made for the app in 30 days, where it is said.
    public let riskMetric: Int?
    /// From when on the receipt may be refreshed, where it is said.
    public let notBefore: Instant?
    /// From when on the receipt is of no use, where it is said.
    public let expirationTime: Instant?

    /// Reads the content of a receipt's signed data.
    ///
    /// - Parameter content: the DER.
    /// - Throws: what is wrong with it.
    package init(parsing content: [UInt8]) throws(ReceiptContentFault) {
        let fields = try ReceiptFields(parsing: content)
        kind = try fields.required(.type) { value in
            Kind.allCases.first { value.elementsEqual($0.rawValue.utf8) }
        }
        appID = try fields.required(.appID) { text($0) }
        certificate = try fields.required(.certificate) {
            bytes($0, countMax: Certificate.byteCountMax)
        }
        clientDataHash = try fields.optional(.clientDataHash) {
            // Each byte that is no UTF-8 became three.
            bytes($0, countMax: 3 * ClientDataHash.bytesMax)
        }
        environment = try fields.optional(.environment) { value in
            if value.spells("sandbox") { return .development }
            return value.spells("production") ? .production : nil
        }
        creationTime = try fields.required(.creationTime) { Instant(receiptText: $0) }
        riskMetric = try fields.optional(.riskMetric) { decimal($0) }
        notBefore = try fields.optional(.notBefore) { Instant(receiptText: $0) }
        expirationTime = try fields.optional(.expirationTime) { Instant(receiptText: $0) }
    }
}

/// The fields of a receipt's content by their types, each of which occurs once.
private struct ReceiptFields {
    private var fields: [UInt32: (version: UInt32, value: ArraySlice<UInt8>)] = [:]

    init(parsing content: [UInt8]) throws(ReceiptContentFault) {
        var outer = DERReader(content[...])
        guard var set = outer.set(), outer.isAtEnd else { throw .notDER }
        while !set.isAtEnd {
            guard fields.count < Receipt.fieldCountMax else { throw .tooManyFields }
            guard var sequence = set.sequence(), let type = sequence.integer(),
                let version = sequence.integer(), let value = sequence.octetString(),
                sequence.isAtEnd
            else { throw .notDER }
            guard fields.updateValue((version, value), forKey: type) == nil else {
                throw .duplicate(type: type)
            }
        }
    }

    func required<Value>(
        _ field: Receipt.Field, _ read: (ArraySlice<UInt8>) -> Value?
    ) throws(ReceiptContentFault) -> Value {
        guard let value = try optional(field, read) else { throw .missing(field) }
        return value
    }

    func optional<Value>(
        _ field: Receipt.Field, _ read: (ArraySlice<UInt8>) -> Value?
    ) throws(ReceiptContentFault) -> Value? {
        guard let (version, bytes) = fields[field.rawValue] else { return nil }
        guard version == 1 else { throw .version(field) }
        guard let value = read(bytes) else { throw .value(field) }
        return value
    }
}

/// Printable UTF-8 of up to 255 bytes, as an app id is.
private func text(_ bytes: ArraySlice<UInt8>) -> String? {
    guard (1...255).contains(bytes.count), bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
        return nil
    }
    return String(validating: bytes, as: UTF8.self)
}

private func bytes(_ bytes: ArraySlice<UInt8>, countMax: Int) -> [UInt8]? {
    bytes.count <= countMax ? Array(bytes) : nil
}

/// Up to nine decimal digits.
private func decimal(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard (1...9).contains(bytes.count) else { return nil }
    return bytes.reduce(0) { (value: Int?, byte) in
        guard let value, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        return value * 10 + Int(byte - UInt8(ascii: "0"))
    }
}
