import AppAttest
import KeyStoreSuite
import LibCrypto
import Wire

@testable import Worker

/// Apple's server as it is known, on receipts without cryptography; it remembers what was asked.
///
/// A receipt is its key id and its creation; what else it says follows from that.
final class AppleInMemory: ReceiptService {
    /// What it does instead of giving a receipt; nil: it gives one.
    var lie: (KeyID, Instant) -> ReceiptServiceAnswer? = { _, _ in nil }
    /// What it says of a key.
    var metric: (KeyID, Instant) -> UInt32 = { _, _ in 1 }
    /// Called in the midst of each request.
    var whileAsked: () -> Void = {}
    /// Its clock.
    var now: () -> Instant

    /// When it was asked about each key, and gave a receipt or would have.
    private(set) var asked: [KeyID: [Instant]] = [:]
    /// Every request, in order.
    private(set) var times: [Instant] = []
    /// Requests before a not-before, or with another receipt than the newest it gave.
    private(set) var offences: [String] = []
    private var newest: [KeyID: Instant] = [:]

    init(now: @escaping () -> Instant) {
        self.now = now
    }

    func exchange(
        _ receipt: [UInt8], in environment: AttestationEnvironment, token: ProviderToken
    ) -> ReceiptServiceAnswer {
        let now = now()
        times.append(now)
        whileAsked()
        guard let (keyID, createdAt) = Self.parse(receipt) else { return .status(400, body: []) }
        if let lie = lie(keyID, now) { return lie }
        asked[keyID, default: []].append(now)
        if let last = newest[keyID] {
            if now < last.advanced(by: .seconds(86_400)) {
                offences.append("before not-before")
                return .status(304, body: [])
            }
            if createdAt != last { offences.append("an older receipt") }
        }
        newest[keyID] = now
        let next = Self.receipt(of: keyID, at: now, metric: metric(keyID, now))
        return .status(200, body: Array(Base64.encode(next).utf8))
    }

    /// The bytes of a receipt; that of an attestation has no metric.
    static func receipt(of keyID: KeyID, at instant: Instant, metric: UInt32?) -> [UInt8] {
        keyID.digest.bytes + bytes(UInt64(bitPattern: instant.milliseconds))
            + (metric.map { bytes(UInt64($0)) } ?? [])
    }

    /// What takes the place of the verifier.
    static let check = ReceiptCheck { receipt, leased, now in
        guard let (keyID, createdAt) = parse(receipt), keyID == leased.state.keyID else {
            return .failure(ReceiptProblem(code: "not_of_this_key"))
        }
        let metric: UInt32? =
            receipt.count == 48 ? UInt32(number(receipt.suffix(8))) : nil
        return .success(
            ReceiptFacts(
                createdAt: createdAt,
                notBefore: metric.map { _ in createdAt.advanced(by: .seconds(86_400)) },
                expiresAt: createdAt.advanced(by: .seconds(90 * 86_400)), metric: metric))
    }

    private static func parse(_ receipt: [UInt8]) -> (KeyID, Instant)? {
        guard receipt.count == 40 || receipt.count == 48,
            let digest = Digest32(receipt.prefix(32))
        else { return nil }
        return (
            KeyID(digest), Instant(milliseconds: Int64(bitPattern: number(receipt[32..<40])))
        )
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension ReceiptSample {
    /// A registration whose receipt ``AppleInMemory`` takes.
    static func fakeRegistration(_ number: Int, at instant: Instant) -> KeyRegistration {
        var registration = Sample.registration(number)
        registration.attestedAt = instant
        registration.receipt = AppleInMemory.receipt(
            of: registration.key.keyID, at: instant, metric: nil)
        let facts = ReceiptFacts(
            createdAt: instant, notBefore: nil,
            expiresAt: instant.advanced(by: .seconds(90 * 86_400)), metric: nil)
        registration.refresh = ReceiptState(registration.key.keyID, facts, rules)
        return registration
    }
}
