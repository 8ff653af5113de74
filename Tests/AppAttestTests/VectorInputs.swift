import AppAttest
import FoundationEssentials
import LibCrypto
import RecordedVectors
import Testing

/// What an attestation vector says, as the verifier takes it.
struct AttestationInputs {
    var object: [UInt8]
    var keyID: KeyID
    var clientDataHash: ClientDataHash
    var instant: Instant
    var relyingParties: [RelyingParty]

    init(_ vector: RecordedVector) throws {
        object = Array(try #require(vector.attestation))
        keyID = KeyID(try #require(vector.keyID.flatMap { Digest32($0) }))
        clientDataHash = try #require(
            vector.clientDataHash.flatMap { ClientDataHash(exactly: Array($0)) })
        let milliseconds = try vector.validationMilliseconds()
        instant = Instant(milliseconds: try #require(milliseconds))
        let environment = try #require(
            vector.environment.flatMap(AttestationEnvironment.init(rawValue:)))
        relyingParties = [
            RelyingParty(appID: try #require(vector.appID), environments: [environment])
        ]
    }

    func verify(
        _ intermediates: inout VerifiedIntermediates
    ) -> Result<VerifiedAttestation, Rejection> {
        let verifier = AttestationVerifier(relyingParties: relyingParties)
        return Result { () throws(Rejection) in
            try verifier.verify(
                object, keyID: keyID, clientDataHash: clientDataHash, at: instant,
                intermediates: &intermediates)
        }
    }
}

/// What an assertion vector says, as the verifier takes it.
struct AssertionInputs {
    var object: [UInt8]
    var clientDataHash: ClientDataHash
    var publicKey: P256PublicKey
    var appID: String

    init(_ vector: RecordedVector) throws {
        object = Array(try #require(vector.assertion))
        clientDataHash = try #require(
            vector.clientDataHash.flatMap { ClientDataHash(exactly: Array($0)) })
        publicKey = try #require(vector.publicKey.flatMap { P256PublicKey(x963: Array($0)) })
        appID = try #require(vector.appID)
    }

    func verify() -> Result<VerifiedAssertion, Rejection> {
        Result { () throws(Rejection) in
            try AssertionVerifier().verify(
                object, clientDataHash: clientDataHash, publicKey: publicKey, appID: appID)
        }
    }
}

/// What a receipt vector says, as the verifier takes it.
struct ReceiptInputs {
    var receipt: [UInt8]
    var expectation: ReceiptExpectation
    var instant: Instant
    var verifier = ReceiptVerifier()

    init(_ vector: RecordedVector) throws {
        receipt = Array(try #require(vector.receipt))
        let kind = try #require(vector.receiptType.flatMap { Receipt.Kind(rawValue: $0) })
        expectation = ReceiptExpectation(
            kind: kind,
            appID: try #require(vector.appID),
            environment: try #require(
                vector.environment.flatMap(AttestationEnvironment.init(rawValue:))),
            publicKey: try #require(
                vector.publicKey.flatMap { P256PublicKey(x963: Array($0)) }),
            clientDataHash: vector.clientDataHash.flatMap { ClientDataHash(exactly: Array($0)) })
        let milliseconds = try vector.validationMilliseconds()
        instant = Instant(milliseconds: try #require(milliseconds))
    }

    func verify(
        _ intermediates: inout VerifiedIntermediates
    ) -> Result<VerifiedReceipt, Rejection> {
        Result { () throws(Rejection) in
            try verifier.verify(
                receipt, expecting: expectation, at: instant, intermediates: &intermediates)
        }
    }
}

extension Result where Failure == Rejection {
    /// The rejection, or nil when the object was accepted.
    var rejection: Rejection? {
        switch self {
        case .success: nil
        case .failure(let rejection): rejection
        }
    }
}
