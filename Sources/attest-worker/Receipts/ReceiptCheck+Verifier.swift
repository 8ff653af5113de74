import AppAttest
import LibCrypto
import Worker

extension ReceiptCheck {
    /// Verifies receipts as the core library does, against the root of each app.
    ///
    /// - Parameter policy: the apps.
    init(_ policy: Live<Policy>) {
        self.init { receipt, leased, now in
            guard let anchor = policy.value.apps[leased.appID]?.receiptAnchor else {
                return .failure(ReceiptProblem(code: "no_anchor"))
            }
            guard let publicKey = P256PublicKey(x963: leased.publicKey) else {
                return .failure(ReceiptProblem(code: "public_key"))
            }
            // The age is looked at by whoever asks: a stored receipt may be old.
            let verifier = ReceiptVerifier(
                trustAnchor: anchor, maxAge: nil, maxClockSkew: .seconds(3600))
            let expectation = ReceiptExpectation(
                kind: nil, appID: leased.appID, environment: leased.environment,
                publicKey: publicKey)
            var intermediates = VerifiedIntermediates()
            do throws(Rejection) {
                let verified = try verifier.verify(
                    receipt, expecting: expectation, at: now, intermediates: &intermediates)
                return .success(ReceiptFacts(verified))
            } catch {
                return .failure(ReceiptProblem(code: error.code.rawValue))
            }
        }
    }
}
