import AppAttest
import FoundationEssentials
import LibCrypto
import Wire
import Worker

/// `attest-worker verify`: one request, judged as a lane would, without Kafka or PostgreSQL.
///
/// It goes through the same decoding, judging and deciding as a record does, over a world that has
/// one partition and at most one stored key.
enum VerifyCommand {
    static let command = Command(
        name: "verify", summary: "judge one request message offline",
        help: {
            """
            Judges one request message without Kafka or PostgreSQL, and prints the verdict as JSON.

            Usage: attest-worker verify --app-id TEAM.bundle
                       [--environment production|development]... [--at RFC3339]
                       [--public-key BASE64 --sign-count N] [REQUEST.json]
                   attest-worker verify --receipt --app-id TEAM.bundle [--environment …] [--at …]
                       [--public-key BASE64] [FILE]

              REQUEST.json        the message, as it would be on the request topic; standard input
                                  if it is left out or -
              --app-id ID         the app the object must belong to: team id, dot, bundle id
              --environment NAME  takes keys of this environment of Apple's; may be given twice;
                                  production if it is left out
              --at TIME           judges at this instant, such as 2026-01-31T12:00:00Z; now if it
                                  is left out. Certificates live for days, so recorded
                                  attestations need it
              --public-key KEY    for assertions: the stored public key, base64 of the 65 bytes of
                                  an uncompressed point
              --sign-count N      for assertions: the stored sign count; the new one must be higher
              --trust-anchor PEM  trusts the root in this file in place of Apple's: for simulated
                                  devices
              --receipt           judges the receipt inside the attestation of a request, or FILE
                                  is a receipt itself, as bytes or in base64; that one needs the
                                  --public-key that it must be for
              --receipt-trust-anchor PEM
                                  trusts the root of receipts in this file in place of Apple's

            What is wrong with a message that can't be judged is told on standard error.
            Ends with 0 when the request is accepted, 1 when it is rejected or can't be read, 64
            when the command line is wrong.

            """
        }, execute: execute)

    private static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        do {
            let options = try VerifyOptions(arguments)
            guard options.judgesReceipt else { return try verify(options, console) }
            var verification = ReceiptVerification(options, console)
            return try verification.run()
        } catch {
            console.complain(
                "attest-worker verify: \(error.message)\n"
                    + "`attest-worker verify --help` tells how it is used.\n")
            return .usage
        }
    }

    private static func verify(
        _ options: VerifyOptions, _ console: Console
    ) throws(VerifyOptions.Mistake) -> ExitCode {
        let anchor = try trustAnchor(options.trustAnchorPath, console) ?? .appleAppAttestRoot
        let value = try request(options, console)
        let instant = options.instant ?? Instant(milliseconds: console.clock() / 1000)
        let record = Record(
            place: RecordPlace(topic: "offline", partition: 0, offset: 0),
            timestampMilliseconds: instant.milliseconds, key: nil, value: value, headers: [])
        let policy = Policy(
            apps: [
                AppPolicy(
                    relyingParty: RelyingParty(
                        appID: options.appID, environments: Set(options.environments),
                        trustAnchor: anchor),
                    isSimulated: options.trustAnchorPath != nil,
                    receiptAnchor: try receiptAnchor(options, console))
            ], maxRequestAge: .zero, maxClockSkew: .zero)
        var judge = Judge(policy: policy, messageLimits: MessageLimits())
        let decoded = judge.decode(record)
        if case .unjudgeable(let request) = decoded {
            // The verdict has no more than the reason: whoever tries a message wants to mend it.
            console.complain("attest-worker verify: \(request.detail)\n")
        }
        let keys = try storedKeys(for: decoded, options)
        let judged = judge.judge([(record: record, decoded: decoded)], keys: keys, now: instant)
        return try tell(decide(judged, keys: keys, policy: policy), console)
    }

    /// What the row would say.
    private static func decide(
        _ judged: [JudgedRecord], keys: [KeyID: StoredKey], policy: Policy
    ) -> Answer? {
        let partition = TopicPartition(topic: "offline", partition: 0)
        let row = Progress(
            epoch: 1, nextOffset: 0, publishedOffset: 0, lastTimestampMilliseconds: 0)
        return Decision.decide(
            judged, owned: [partition: OwnedPartition(epoch: 1, nextOffset: 0, publishedOffset: 0)],
            state: BatchState(progress: [partition: row], keys: keys), policy: policy
        ).result.answers.first
    }

    private static func tell(
        _ answer: Answer?, _ console: Console
    ) throws(VerifyOptions.Mistake) -> ExitCode {
        switch answer {
        case .verdict(let bytes, _, _):
            guard console.writeOutput(bytes + [UInt8(ascii: "\n")]) else { return .software }
            return isAccepted(bytes) ? .success : .negative
        case .deadLetter(let cause):
            console.complain("attest-worker verify: \(cause.message) [\(cause.code)]\n")
            return .negative
        case .nothing, nil:
            return .software
        }
    }

    private static func isAccepted(_ verdict: [UInt8]) -> Bool {
        struct Outcome: Decodable {
            let outcome: String
        }
        let read = try? JSONDecoder().decode(Outcome.self, from: Data(verdict))
        return read?.outcome == Verdict.Outcome.accepted.name
    }

    // MARK: - Inputs

    /// The root of receipts; nil where no receipt of these devices can be judged.
    private static func receiptAnchor(
        _ options: VerifyOptions, _ console: Console
    ) throws(VerifyOptions.Mistake) -> TrustAnchor? {
        try trustAnchor(options.receiptTrustAnchorPath, console)
            ?? (options.trustAnchorPath == nil ? .appleRootG3 : nil)
    }

    /// What the named file or standard input holds.
    static func request(
        _ options: VerifyOptions, _ console: Console
    ) throws(VerifyOptions.Mistake) -> [UInt8] {
        do {
            guard let path = options.path else { return try console.readInput() }
            return try console.readFile(path)
        } catch {
            throw .init(message: "\(options.path ?? "standard input") \(error.message)")
        }
    }

    /// The root in a PEM file; nil where none is named.
    static func trustAnchor(
        _ path: String?, _ console: Console
    ) throws(VerifyOptions.Mistake) -> TrustAnchor? {
        guard let path else { return nil }
        let pem: [UInt8]
        do {
            pem = try console.readFile(path)
        } catch {
            throw .init(message: "\(path) \(error.message)")
        }
        guard let anchor = TrustAnchor(pem: String(decoding: pem, as: UTF8.self)) else {
            throw .init(message: "\(path) must hold one self-signed CA certificate in PEM")
        }
        return anchor
    }

    /// The row of the key that an assertion was made with, as the command line tells it.
    private static func storedKeys(
        for decoded: DecodedRecord, _ options: VerifyOptions
    ) throws(VerifyOptions.Mistake) -> [KeyID: StoredKey] {
        guard case .request(let request) = decoded, request.kind == .assertion else { return [:] }
        guard let publicKey = options.publicKey, let signCount = options.signCount,
            let environment = options.environments.first
        else {
            throw .init(message: "an assertion needs --public-key and --sign-count")
        }
        // The key stands under its own id: a request that names another finds none.
        let keyID = KeyID(SHA256.hash(publicKey))
        let key = StoredKey(
            keyID: keyID, appID: options.appID, environment: environment,
            publicKey: publicKey, signCount: signCount, subject: nil, status: .active,
            attestedBy: options.trustAnchorPath == nil ? .apple : .simulated)
        return [keyID: key]
    }
}
