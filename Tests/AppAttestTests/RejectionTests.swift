import AppAttest
import LibCrypto
import Testing

@Suite struct RejectionTests {
    @Test(arguments: [
        (Rejection.signatureInvalid, "signature_invalid"),
        (.malformedCBOR(.tooDeep), "malformed_cbor: tooDeep"),
        (.malformedAttestation(.missing(.certificates)), "malformed_attestation: x5c is missing"),
        (.malformedAttestation(.certificateCount(3)), "malformed_attestation: 3 certificates"),
        (
            .malformedAssertion(.wrongType(.signature)),
            "malformed_assertion: signature is of another type"
        ),
        (
            .malformedAuthData(.extensions(.tag)),
            "malformed_auth_data: the extensions are no map: tag"
        ),
        (
            .malformedAuthData(.extensionValue(.cdHash)),
            "malformed_auth_data: apple_cd_hash_hash_01 is of another type or size"
        ),
        (
            .chainInvalid(.refused(.invalid(code: 7, depth: 1))),
            "chain_invalid: certificate signature failure at depth 1"
        ),
        (
            .chainInvalid(.anchorOfAnotherApp),
            "chain_invalid: the chain ends at an anchor of another app"
        ),
        (.certificateExpired(.leaf), "certificate_expired: leaf"),
        (.counterNotZero(7), "counter_not_zero: 7"),
        (.environmentMismatch(found: .development), "environment_mismatch: development"),
        // The hash is the object's, so it stays out of logs.
        (.appIDMismatch(found: RelyingPartyIDHash(appID: "T.app")), "app_id_mismatch"),
    ])
    func `a rejection says its code and facts, and no byte of the object`(
        rejection: Rejection, text: String
    ) {
        #expect(rejection.description == text)
        #expect("\(rejection)" == text)
    }
}
