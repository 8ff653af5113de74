package import FoundationEssentials

/// One recorded object with its inputs and the expected answer: a file of `Tests/Vectors`.
package struct RecordedVector: Decodable, Sendable, CustomStringConvertible {
    /// What the object is.
    package enum Kind: String, Decodable, Sendable {
        /// An attestation object.
        case attestation
        /// An assertion object.
        case assertion
        /// A receipt on its own.
        case receipt
    }

    /// The expected answer.
    package struct Expectation: Decodable, Sendable {
        /// `accept` or `reject`.
        package let outcome: String
        /// The reason's code of a rejection.
        package let reason: String?
    }

    /// The file's name without its extension.
    package let name: String
    /// What the object is.
    package let kind: Kind
    /// The app id to judge for.
    package let appID: String?
    /// `development` or `production`, where it is known.
    package let environment: String?
    /// The key id, standard base64.
    package let keyID: Data?
    /// The bytes whose SHA-256 the device signed; for registrations.
    package let challenge: Data?
    /// The bytes whose SHA-256 the device signed; for assertions.
    package let clientData: Data?
    /// Whether the challenge itself is the client data hash.
    package let challengeIsRaw: Bool?
    /// What the app passed to the device.
    package let clientDataHash: Data?
    /// The attestation object.
    package let attestation: Data?
    /// The assertion object.
    package let assertion: Data?
    /// The receipt.
    package let receipt: Data?
    /// The key, 65 bytes.
    package let publicKey: Data?
    /// The object's sign count.
    package let signCount: UInt32?
    /// The stored sign count to judge against.
    package let previousSignCount: UInt32?
    /// The instant at which to judge, RFC 3339.
    package let validationTime: String?
    /// The expected answer.
    package let expected: Expectation
    /// Whether the publisher took the receipt out of the attestation.
    package let receiptRemoved: Bool?
    /// The expected answer for the receipt inside an attestation, where it is not genuine.
    package let receiptExpected: Expectation?
    /// `ATTEST` or `RECEIPT`, for receipts.
    package let receiptType: String?
    /// The risk metric, decimal, for receipts that tell one.
    package let riskMetric: String?
    /// When the receipt was created, as it says.
    package let creationTime: String?
    /// From when on the receipt may be refreshed, as it says.
    package let notBefore: String?
    /// When the receipt expires, as it says.
    package let expirationTime: String?

    private enum CodingKeys: String, CodingKey {
        case name
        case kind
        case appID = "app_id"
        case environment
        case keyID = "key_id"
        case challenge
        case clientData = "client_data"
        case challengeIsRaw = "challenge_is_raw"
        case clientDataHash = "client_data_hash"
        case attestation
        case assertion
        case receipt
        case publicKey = "public_key"
        case signCount = "counter"
        case previousSignCount = "previous_counter"
        case validationTime = "validation_time"
        case expected
        case receiptRemoved = "receipt_removed"
        case receiptExpected = "receipt_expected"
        case receiptType = "receipt_type"
        case riskMetric = "risk_metric"
        case creationTime = "creation_time"
        case notBefore = "not_before"
        case expirationTime = "expiration_time"
    }

    /// The name, for test reports.
    package var description: String {
        name
    }

    /// The instant at which to judge, in milliseconds since 1970; nil where the file has none.
    package func validationMilliseconds() throws -> Int64? {
        guard let validationTime else { return nil }
        let date = try Date(validationTime, strategy: .iso8601)
        return Int64(date.timeIntervalSince1970) * 1000
    }
}
