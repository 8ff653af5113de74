/// The stable codes of everything the core library refuses.
///
/// They are part of the wire contract: a case is never renamed. The comments give the step of
/// "Attestation, step by step" or "Assertion, step by step".
public enum RejectionCode: String, Sendable, CaseIterable {
    /// 0: larger than the limit, not strict CBOR, or bytes after the map.
    case malformedCBOR = "malformed_cbor"
    /// 1: `fmt` is not `apple-appattest`.
    case wrongFormat = "wrong_format"
    /// 1: a part of the attestation object is missing or of another type, or not two certificates.
    case malformedAttestation = "malformed_attestation"
    /// 2: the certificates do not chain to the trust anchor.
    case chainInvalid = "chain_invalid"
    /// 2: a certificate of the chain had expired at the given instant.
    case certificateExpired = "certificate_expired"
    /// 2: a certificate of the chain was not valid yet at the given instant.
    case certificateNotYetValid = "certificate_not_yet_valid"
    /// 3: the credential certificate's key is not an uncompressed P-256 point.
    case leafKeyNotP256 = "leaf_key_not_p256"
    /// 5: the credential certificate has no nonce extension.
    case nonceMissing = "nonce_missing"
    /// 5: the nonce extension occurs twice or is not the exact DER of 38 bytes.
    case nonceMalformed = "nonce_malformed"
    /// 5: the nonce is not SHA-256 of authenticator data and client data hash.
    case nonceMismatch = "nonce_mismatch"
    /// 6: the key id is not SHA-256 of the credential certificate's public key.
    case keyIDMismatch = "key_id_mismatch"
    /// 7: authenticator data too short, or its parts are malformed.
    case malformedAuthData = "malformed_auth_data"
    /// 8: the relying party id hash is none of the allowed apps'.
    case appIDMismatch = "app_id_mismatch"
    /// 9: an attestation's sign count is not 0.
    case counterNotZero = "counter_not_zero"
    /// 10: the AAGUID is neither of Apple's two.
    case unknownAAGUID = "unknown_aaguid"
    /// 10: the environment is not allowed for that app.
    case environmentMismatch = "environment_mismatch"
    /// 11: the credential id is not the key id.
    case credentialIDMismatch = "credential_id_mismatch"
    /// 12: the COSE key is not the credential certificate's key.
    case coseKeyMismatch = "cose_key_mismatch"
    /// 13: the app id inside the credential certificate is another one.
    case leafAppIDMismatch = "leaf_app_id_mismatch"
    /// 14: a macOS key's access control is not Apple's documented constant.
    case aclMismatch = "acl_mismatch"
    /// Assertion 1: a part of the assertion object is missing or of another type.
    case malformedAssertion = "malformed_assertion"
    /// Assertion 4: the signature does not verify with the stored key.
    case signatureInvalid = "signature_invalid"
    /// Receipt: the attestation has none, where policy requires one.
    case receiptMissing = "receipt_missing"
    /// Receipt 1, 3: not CMS signed data with one signer, or its content is not as it must be.
    case receiptMalformed = "receipt_malformed"
    /// Receipt 2: the signature on the content does not verify.
    case receiptSignature = "receipt_signature"
    /// Receipt 4: the signer does not chain to the root of receipts, or is none for receipts.
    case receiptChain = "receipt_chain"
    /// Receipt 5: it is of the other type, `ATTEST` or `RECEIPT`.
    case receiptType = "receipt_type"
    /// Receipt 6: it is for another app.
    case receiptAppID = "receipt_app_id"
    /// Receipt 7: it is for another key, or repeats another certificate.
    case receiptPublicKey = "receipt_public_key"
    /// Receipt 8: it repeats another client data hash.
    case receiptClientHash = "receipt_client_hash"
    /// Receipt 9: it is of the other environment.
    case receiptEnvironment = "receipt_environment"
    /// Receipt 10: it was created after the given instant.
    case receiptFromTheFuture = "receipt_from_the_future"
    /// Receipt 10: it was created too long before the given instant.
    case receiptTooOld = "receipt_too_old"
    /// Receipt 10: its expiration time has passed.
    case receiptExpired = "receipt_expired"

    /// Whether it is about a receipt, which no verifier of attestations or assertions looks into.
    public var isOfReceipts: Bool {
        rawValue.hasPrefix("receipt_")
    }
}
