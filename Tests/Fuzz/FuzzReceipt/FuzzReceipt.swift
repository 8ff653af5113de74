import AppAttest
import FuzzDriver
import LibCrypto
import RecordedVectors
import Synchronization

/// Nothing but what the genuine receipt says is accepted; no input traps, also as bare content.
@main
struct FuzzReceipt {
    nonisolated static func main() throws {
        let vector = try RecordedVectors.named("receipt-veehaitch-ios-14.4-2-receipt")
        guard let genuine = vector.receipt.map({ Array($0) }),
            let publicKey = vector.publicKey.flatMap({ P256PublicKey(x963: Array($0)) }),
            let milliseconds = try vector.validationMilliseconds(), let appID = vector.appID
        else { preconditionFailure("the vector lacks a field") }
        let expectation = ReceiptExpectation(
            kind: .refreshed, appID: appID, environment: .development, publicKey: publicKey)
        let instant = Instant(milliseconds: milliseconds)
        let intermediates = Mutex(VerifiedIntermediates())
        let verify: @Sendable ([UInt8]) -> VerifiedReceipt? = { bytes in
            intermediates.withLock { intermediates in
                try? ReceiptVerifier().verify(
                    bytes, expecting: expectation, at: instant, intermediates: &intermediates)
            }
        }
        guard let expected = verify(genuine) else { preconditionFailure("the genuine one holds") }
        let receipts = try RecordedVectors.all(.receipt).compactMap { $0.receipt }.map { Array($0) }
        let contents = receipts.compactMap {
            try? SignedMessage(verifyingSignatureOf: $0).content
        }
        try FuzzDriver.run(seeds: receipts + contents) { bytes in
            if let content = try? Receipt(parsing: bytes) {
                precondition(content.appID.utf8.count <= 255)
                precondition(content.certificate.count <= Certificate.byteCountMax)
                precondition((content.riskMetric ?? 0) >= 0)
            }
            if let proof = verify(bytes) { precondition(proof == expected) }
        }
    }
}
