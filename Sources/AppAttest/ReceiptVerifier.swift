public import LibCrypto

/// Verifies receipts: whether Apple made one, just now, for a given key.
///
/// The steps are numbered as in <doc:Receipt-step-by-step>; the first that fails is the answer. A
/// verifier is a value without state: what it answers depends on its arguments alone.
public struct ReceiptVerifier: Hashable, Sendable {
    /// Apple's limit on a receipt's age.
    public static let appleMaxAge = Duration.seconds(300)

    /// The root that signers must chain to; it is another one than that of attestations.
    public let trustAnchor: TrustAnchor
    /// How long before the instant a receipt may have been created; nil for any time.
    public let maxAge: Duration?
    /// How long after the instant a receipt may have been created: clocks differ.
    public let maxClockSkew: Duration

    /// A verifier from its parts.
    ///
    /// - Parameters:
    ///   - trustAnchor: Apple's root, save for simulated devices.
    ///   - maxAge: how long before the instant a receipt may have been created; nil for any time,
    ///     such as to look at a kept one again.
    ///   - maxClockSkew: how long after the instant a receipt may have been created.
    public init(
        trustAnchor: TrustAnchor = .appleRootG3, maxAge: Duration? = appleMaxAge,
        maxClockSkew: Duration = .seconds(60)
    ) {
        self.trustAnchor = trustAnchor
        self.maxAge = maxAge
        self.maxClockSkew = maxClockSkew
    }

    /// Verifies one receipt.
    ///
    /// Source: Apple, "Assessing fraud risk"; beyond it, what is true of every genuine receipt.
    ///
    /// - Parameters:
    ///   - receipt: the receipt, CMS in BER, up to 16 KiB.
    ///   - expectation: the key it must be about.
    ///   - instant: when the server received it.
    ///   - intermediates: the cache to use and to add to.
    /// - Returns: what the receipt proves.
    /// - Throws: `receiptInvalid` with the fact because of which it is refused.
    public func verify(
        _ receipt: [UInt8], expecting expectation: ReceiptExpectation, at instant: Instant,
        intermediates: inout VerifiedIntermediates
    ) throws(Rejection) -> VerifiedReceipt {
        do throws(ReceiptFault) {
            let content = try authenticate(receipt, &intermediates)
            try check(content, expectation)
            try checkTime(of: content, at: instant)
            return VerifiedReceipt(content, expectation)
        } catch {
            throw .receiptInvalid(error)
        }
    }

    /// Steps 1 to 4: who says it.
    private func authenticate(
        _ receipt: [UInt8], _ intermediates: inout VerifiedIntermediates
    ) throws(ReceiptFault) -> Receipt {
        guard !receipt.isEmpty else { throw .missing }
        // Steps 1 and 2: CMS, and the signature on the content.
        let message = try readMessage(receipt)
        // Step 3: the content, from the very bytes that were signed.
        let content: Receipt
        do throws(ReceiptContentFault) {
            content = try Receipt(parsing: message.content)
        } catch {
            throw .malformed(error)
        }
        // Step 4: the signer's chain, when the receipt was created: certificates of signers end
        // long before a kept receipt may be looked at again.
        try verifyChain(of: message, at: content.creationTime, &intermediates)
        guard message.signer.extensionValues(receiptSignerMarker).count == 1,
            message.signer.maySignContent
        else { throw .signerNotForReceipts }
        return content
    }

    private func readMessage(_ receipt: [UInt8]) throws(ReceiptFault) -> SignedMessage {
        do throws(SignedMessageFault) {
            return try SignedMessage(verifyingSignatureOf: receipt)
        } catch {
            switch error {
            case .signatureInvalid: throw .signatureInvalid
            case .tooLarge, .unreadable, .notSignedData, .certificateCount, .certificateUnusable,
                .signerCount, .digestNotAllowed:
                throw .notSignedData(error)
            }
        }
    }

    private func verifyChain(
        of message: SignedMessage, at instant: Instant,
        _ intermediates: inout VerifiedIntermediates
    ) throws(ReceiptFault) {
        guard
            let intermediate = message.otherCertificates.first(where: {
                $0.claimsToHaveIssued(message.signer)
            })
        else { throw .chainInvalid(.unreadable(.intermediate)) }
        do throws(ChainFailure) {
            try intermediates.verify(
                message.signer, intermediate, trustAnchor, at: instant.wholeSeconds)
        } catch {
            throw .chainInvalid(.refused(error))
        }
    }

    /// Steps 5 to 9: what it says.
    private func check(
        _ content: Receipt, _ expectation: ReceiptExpectation
    ) throws(ReceiptFault) {
        // Step 5: the type.
        guard expectation.kind == nil || expectation.kind == content.kind else {
            throw .typeMismatch(found: content.kind)
        }
        // Step 6: the app, byte for byte.
        guard content.appID.utf8.elementsEqual(expectation.appID.utf8) else {
            throw .appIDMismatch
        }
        // Step 7: the key. The receipt inside an attestation repeats the certificate beside it.
        if content.kind == .attest, let certificate = expectation.certificate {
            guard content.certificate == certificate else { throw .publicKeyMismatch }
        } else {
            guard
                Certificate(der: content.certificate)?.p256PublicKey == expectation.publicKey
            else { throw .publicKeyMismatch }
        }
        // Step 8: the client data hash, which Apple mangles in every receipt of the other type.
        if content.kind == .attest, let hash = expectation.clientDataHash {
            guard content.clientDataHash == hash.bytes else { throw .clientDataHashMismatch }
        }
        // Step 9: the environment, a field that Apple does not document: it may be left out.
        if let environment = content.environment, environment != expectation.environment {
            throw .environmentMismatch(found: environment)
        }
    }

    /// Step 10: when it was made, and until when it is of use.
    private func checkTime(of content: Receipt, at instant: Instant) throws(ReceiptFault) {
        if let expirationTime = content.expirationTime, expirationTime <= instant {
            throw .expired
        }
        guard content.creationTime <= instant.advanced(by: maxClockSkew) else {
            throw .fromTheFuture
        }
        if let maxAge {
            guard content.creationTime >= instant.advanced(by: .zero - maxAge) else {
                throw .tooOld
            }
        }
    }
}

/// Which key a receipt must be about.
public struct ReceiptExpectation: Hashable, Sendable {
    /// The type it must be of; nil for either.
    public let kind: Receipt.Kind?
    /// The app id.
    public let appID: String
    /// The environment of the key.
    public let environment: AttestationEnvironment
    /// The key.
    public let publicKey: P256PublicKey
    /// The credential certificate in DER that a receipt of the type `ATTEST` must repeat; where it
    /// is not known, the key in the receipt's certificate is compared.
    public let certificate: [UInt8]?
    /// The client data hash that a receipt of the type `ATTEST` must repeat; not compared where it
    /// is not known.
    public let clientDataHash: ClientDataHash?

    /// The receipt inside an attestation: all that it must repeat is known.
    ///
    /// - Parameters:
    ///   - attestation: the verified attestation.
    ///   - clientDataHash: what the app passed to `attestKey`.
    public init(inside attestation: VerifiedAttestation, clientDataHash: ClientDataHash) {
        kind = .attest
        appID = attestation.appID
        environment = attestation.environment
        publicKey = attestation.publicKey
        certificate = attestation.certificate
        self.clientDataHash = clientDataHash
    }

    /// A receipt on its own, about a key that was registered before.
    ///
    /// - Parameters:
    ///   - kind: `refreshed` for what a refresh gives; nil for either type.
    ///   - appID: the app id of the key.
    ///   - environment: the environment of the key.
    ///   - publicKey: the key.
    ///   - clientDataHash: what a receipt of the type `ATTEST` must repeat, where it is known.
    public init(
        kind: Receipt.Kind?, appID: String, environment: AttestationEnvironment,
        publicKey: P256PublicKey, clientDataHash: ClientDataHash? = nil
    ) {
        self.kind = kind
        self.appID = appID
        self.environment = environment
        self.publicKey = publicKey
        self.clientDataHash = clientDataHash
        certificate = nil
    }
}

/// What a verified receipt proves about a key.
public struct VerifiedReceipt: Hashable, Sendable {
    /// Which of the two kinds it is.
    public let kind: Receipt.Kind
    /// The app id.
    public let appID: String
    /// The environment of the key.
    public let environment: AttestationEnvironment
    /// The attested key.
    public let publicKey: P256PublicKey
    /// The credential certificate, DER; its own chain is not looked at here.
    public let certificate: [UInt8]
    /// The client data hash, exact in receipts of the kind `attest` only.
    public let clientDataHash: [UInt8]?
    /// When Apple made the receipt.
    public let creationTime: Instant
    /// From when on the receipt may be refreshed; nil for at once.
    public let notBefore: Instant?
    /// From when on the receipt is of no use.
    public let expirationTime: Instant?
    /// About how many keys the device made for the app in 30 days.
    public let riskMetric: Int?

    fileprivate init(_ content: Receipt, _ expectation: ReceiptExpectation) {
        kind = content.kind
        appID = content.appID
        environment = expectation.environment
        publicKey = expectation.publicKey
        certificate = content.certificate
        clientDataHash = content.clientDataHash
        creationTime = content.creationTime
        notBefore = content.notBefore
        expirationTime = content.expirationTime
        riskMetric = content.riskMetric
    }
}

/// 1.2.840.113635.100.12.15: the certificate signs receipts.
///
/// Without it, every certificate that Apple issued below the same root could sign one.
private let receiptSignerMarker: [UInt8] = [
    0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x0C, 0x0F,
]
