import AppAttest
import FoundationEssentials
import LibCrypto
import Wire
import Worker

/// `attest-worker verify --receipt`: one receipt, judged offline.
///
/// It is the one inside the attestation of a request, which is verified first, or a file of its
/// own.
struct ReceiptVerification {
    private let options: VerifyOptions
    private let console: Console
    private let instant: Instant
    private var intermediates = VerifiedIntermediates()

    init(_ options: VerifyOptions, _ console: Console) {
        self.options = options
        self.console = console
        instant = options.instant ?? Instant(milliseconds: console.clock() / 1000)
    }

    /// Reads, judges and tells.
    mutating func run() throws(VerifyOptions.Mistake) -> ExitCode {
        let anchor = try VerifyCommand.trustAnchor(options.receiptTrustAnchorPath, console)
        let verifier = ReceiptVerifier(trustAnchor: anchor ?? .appleRootG3)
        let bytes = try VerifyCommand.request(options, console)
        guard bytes.first(where: { !Self.isSpace($0) }) == UInt8(ascii: "{") else {
            let expectation = try expectationOfKey()
            guard let receipt = Self.receipt(bytes) else {
                return refuse("the file is no receipt: neither its bytes nor base64 of them")
            }
            return tell(judge(receipt, expectation, verifier))
        }
        guard case .request(let request) = Self.decode(bytes) else {
            return refuse("the message is no request that can be judged; leave out --receipt")
        }
        guard request.kind == .registration else {
            return refuse("an assertion has no receipt")
        }
        let attestation = try attestation(in: request)
        return tell(
            attestation.flatMap {
                judge(
                    $0.receipt,
                    ReceiptExpectation(inside: $0, clientDataHash: request.clientDataHash),
                    verifier)
            })
    }

    private mutating func judge(
        _ receipt: [UInt8], _ expectation: ReceiptExpectation, _ verifier: ReceiptVerifier
    ) -> Result<VerifiedReceipt, Rejection> {
        Result { () throws(Rejection) in
            try verifier.verify(
                receipt, expecting: expectation, at: instant, intermediates: &intermediates)
        }
    }

    /// The verified attestation of a registration.
    private mutating func attestation(
        in request: Request
    ) throws(VerifyOptions.Mistake) -> Result<VerifiedAttestation, Rejection> {
        let anchor = try VerifyCommand.trustAnchor(options.trustAnchorPath, console)
        let verifier = AttestationVerifier(relyingParties: [
            RelyingParty(
                appID: options.appID, environments: Set(options.environments),
                trustAnchor: anchor ?? .appleAppAttestRoot)
        ])
        return Result { () throws(Rejection) in
            try verifier.verify(
                request.object, keyID: request.keyID, clientDataHash: request.clientDataHash,
                at: instant, intermediates: &intermediates)
        }
    }

    /// What a receipt on its own must be about, as the command line tells it.
    private func expectationOfKey() throws(VerifyOptions.Mistake) -> ReceiptExpectation {
        guard let point = options.publicKey else {
            throw .init(message: "a receipt on its own needs --public-key")
        }
        guard let publicKey = P256PublicKey(x963: point) else {
            throw .init(message: "--public-key must be a point of the curve P-256")
        }
        guard let environment = options.environments.first, options.environments.count == 1 else {
            throw .init(message: "a receipt on its own is of one --environment")
        }
        return ReceiptExpectation(
            kind: nil, appID: options.appID, environment: environment, publicKey: publicKey)
    }

    private func refuse(_ message: String) -> ExitCode {
        console.complain("attest-worker verify: \(message)\n")
        return .negative
    }

    private func tell(_ result: Result<VerifiedReceipt, Rejection>) -> ExitCode {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(PrintedReceipt(result)),
            console.writeOutput(Array(bytes) + [UInt8(ascii: "\n")])
        else { return .software }
        switch result {
        case .success: return .success
        case .failure: return .negative
        }
    }

    // MARK: - Inputs

    private static func decode(_ bytes: [UInt8]) -> DecodedRecord {
        RequestMessage.decode(value: bytes, headers: [], limits: MessageLimits())
    }

    /// The bytes of a file, or what they spell in base64; nil where they are neither.
    private static func receipt(_ bytes: [UInt8]) -> [UInt8]? {
        // BER of signed data begins with a SEQUENCE whose length is no ASCII.
        if bytes.first == 0x30, let second = bytes.dropFirst().first, second >= 0x80 {
            return bytes
        }
        // Tools break base64 into lines; a verdict's or a message's never is.
        return Base64.decode(
            String(decoding: bytes.filter { !isSpace($0) }, as: UTF8.self))
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n")]
            .contains(byte)
    }
}

/// What is printed of a judged receipt.
private struct PrintedReceipt: Encodable {
    var outcome: String
    var reason: String?
    var type: String?
    var appId: String?
    var environment: String?
    var creationTime: String?
    var notBefore: String?
    var expirationTime: String?
    var riskMetric: Int?

    init(_ result: Result<VerifiedReceipt, Rejection>) {
        switch result {
        case .failure(let rejection):
            outcome = "rejected"
            reason = rejection.code.rawValue
        case .success(let receipt):
            outcome = "accepted"
            type = receipt.kind.rawValue
            appId = receipt.appID
            environment = receipt.environment.rawValue
            creationTime = receipt.creationTime.rfc3339
            notBefore = receipt.notBefore?.rfc3339
            expirationTime = receipt.expirationTime?.rfc3339
            riskMetric = receipt.riskMetric
        }
    }
}
