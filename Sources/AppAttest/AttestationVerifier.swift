public import LibCrypto

/// Verifies attestations: whether a key was made by Apple hardware for one of our apps.
///
/// The steps are numbered as in <doc:Attestation-step-by-step>; the first that fails is the answer.
/// A verifier is a value without state: what it answers depends on its arguments alone.
public struct AttestationVerifier: Sendable {
    private let apps: [RelyingPartyIDHash: [RelyingParty]]
    /// Each anchor once, in the order of the apps.
    private let anchors: [TrustAnchor]

    /// A verifier for these apps.
    ///
    /// - Parameter relyingParties: the apps; with none, every attestation is refused. The same app
    ///   id may occur more than once, such as with another anchor.
    public init(relyingParties: [RelyingParty]) {
        apps = Dictionary(grouping: relyingParties, by: \.idHash)
        anchors = relyingParties.map(\.trustAnchor).reduce(into: []) { anchors, anchor in
            if !anchors.contains(anchor) { anchors.append(anchor) }
        }
    }

    /// Verifies one attestation.
    ///
    /// Whether the challenge in the client data was issued, and is used for the first time, is for
    /// the caller to know. The receipt is handed out unverified: ``ReceiptVerifier`` verifies it.
    ///
    /// Source: Apple, "Validating apps that connect to your server".
    ///
    /// - Parameters:
    ///   - object: the attestation object, CBOR, up to 16 KiB.
    ///   - keyID: the key id that the app sent.
    ///   - clientDataHash: what the app passed to `attestKey`.
    ///   - instant: when the server received the attestation; certificates must be valid then.
    ///   - intermediates: the cache to use and to add to.
    /// - Returns: what the attestation proves.
    /// - Throws: the fact because of which it is refused.
    public func verify(
        _ object: [UInt8], keyID: KeyID, clientDataHash: ClientDataHash, at instant: Instant,
        intermediates: inout VerifiedIntermediates
    ) throws(Rejection) -> VerifiedAttestation {
        // Steps 0 and 1: strict CBOR, and the parts of the object.
        let object = try AttestationObject(parsing: object)
        // Step 2: the chain, before anything else is believed.
        let chain = try verifyChain(of: object, at: instant, &intermediates)
        // Step 3: the credential certificate's key is a P-256 point.
        let credential = try CredentialCertificate(chain.leaf)
        // Steps 4 and 5: the nonce binds authenticator data and client data to the certificate.
        let nonce = SHA256.hash(Array(object.authenticatorData), clientDataHash.bytes)
        guard try credential.nonce() == nonce else { throw .nonceMismatch }
        // Step 6: the key id is the hash of the key.
        guard SHA256.hash(credential.publicKey.x963) == keyID.digest else { throw .keyIDMismatch }
        // Step 7: authenticator data.
        let data = try parse(object.authenticatorData)
        // Step 8: the app, among those that trust an anchor which vouched for the chain.
        let candidates = try apps(with: data.head.relyingPartyIDHash, trusting: chain.anchors)
        // Step 9: a fresh key has signed nothing.
        guard data.head.signCount == 0 else { throw .counterNotZero(data.head.signCount) }
        // Step 10: the environment, for that app.
        guard let environment = data.environment else { throw .unknownAAGUID }
        guard let app = candidates.first(where: { $0.environments.contains(environment) }) else {
            throw .environmentMismatch(found: environment)
        }
        // Step 11: the credential id is the key id.
        guard Digest32(data.credentialID) == keyID.digest else { throw .credentialIDMismatch }
        // Step 12: the key in authenticator data is the certificate's.
        guard data.coseKeyIs(credential.publicKey) else { throw .coseKeyMismatch }
        // Step 13: the certificate names no other app.
        guard !credential.namesOtherApp(than: app.appID) else { throw .leafAppIDMismatch }
        // Step 14: a Mac's key can be used only while system integrity is on.
        let needsMacOSAccessControl =
            credential.saysMacOS || app.macOSAccessControl == .always
        guard !needsMacOSAccessControl || credential.hasMacOSAccessControl else {
            throw .aclMismatch
        }
        return VerifiedAttestation(
            keyID: keyID, app: app, environment: environment, credential: credential,
            receipt: Array(object.receipt), extensions: data.extensions)
    }

    /// The leaf of the object's chain, and all configured anchors that vouch for it.
    private func verifyChain(
        of object: AttestationObject, at instant: Instant,
        _ intermediates: inout VerifiedIntermediates
    ) throws(Rejection) -> (leaf: Certificate, anchors: [TrustAnchor]) {
        guard let leaf = Certificate(der: Array(object.leaf)) else {
            throw .chainInvalid(.unreadable(.leaf))
        }
        guard let intermediate = intermediates.certificate(der: Array(object.intermediate)) else {
            throw .chainInvalid(.unreadable(.intermediate))
        }
        var vouching: [TrustAnchor] = []
        var failure: ChainFailure?
        for anchor in anchors {
            do throws(ChainFailure) {
                try intermediates.verify(
                    leaf, intermediate, anchor, at: instant.wholeSeconds)
                vouching.append(anchor)
            } catch {
                failure = moreTelling(failure, error)
            }
        }
        guard vouching.isEmpty else { return (leaf, vouching) }
        switch failure {
        case .expired(let position): throw .certificateExpired(position)
        case .notYetValid(let position): throw .certificateNotYetValid(position)
        case .some(let failure): throw .chainInvalid(.refused(failure))
        case nil: throw .chainInvalid(.noAnchor)
        }
    }

    private func apps(
        with idHash: RelyingPartyIDHash, trusting anchors: [TrustAnchor]
    ) throws(Rejection) -> [RelyingParty] {
        guard let apps = apps[idHash] else { throw .appIDMismatch(found: idHash) }
        let trusting = apps.filter { anchors.contains($0.trustAnchor) }
        guard !trusting.isEmpty else { throw .chainInvalid(.anchorOfAnotherApp) }
        return trusting
    }
}

/// With several anchors, a chain that only failed by its validity tells more than one whose root is
/// another.
private func moreTelling(_ first: ChainFailure?, _ second: ChainFailure) -> ChainFailure {
    switch (first, second) {
    case (nil, _), (.invalid, .expired), (.invalid, .notYetValid): second
    case (.some(let first), _): first
    }
}

private func parse(
    _ bytes: ArraySlice<UInt8>
) throws(Rejection) -> AttestationAuthenticatorData {
    do {
        return try AttestationAuthenticatorData(parsing: bytes)
    } catch {
        throw .malformedAuthData(error)
    }
}

/// What an attestation proves.
///
/// Only ``AttestationVerifier`` makes one, so holding it is the proof.
public struct VerifiedAttestation: Sendable {
    /// The key's identity.
    public let keyID: KeyID
    /// The key with which assertions are verified.
    public let publicKey: P256PublicKey
    /// The app, one of those configured.
    public let appID: String
    /// The environment, one of those that the app allows.
    public let environment: AttestationEnvironment
    /// The receipt, PKCS #7, not verified: no signature of the attestation covers it.
    ///
    /// Empty when the object has none.
    public let receipt: [UInt8]
    /// What an OS 27 device signed about the app's code.
    public let extensions: SignedExtensions
    /// `iphoneos` or `macosx`, where Apple's certificate says it.
    public let platform: String?
    /// The version of the operating system, where Apple's certificate says it.
    public let osVersion: String?
    /// The credential certificate's serial number.
    public let leafSerial: CertificateSerial
    /// The credential certificate, DER.
    public let certificate: [UInt8]
    /// Start of the credential certificate's validity.
    public let leafNotBefore: Instant
    /// End of the credential certificate's validity; assertions may come long after it.
    public let leafNotAfter: Instant

    fileprivate init(
        keyID: KeyID, app: RelyingParty, environment: AttestationEnvironment,
        credential: CredentialCertificate, receipt: [UInt8], extensions: SignedExtensions
    ) {
        self.keyID = keyID
        self.publicKey = credential.publicKey
        self.appID = app.appID
        self.environment = environment
        self.receipt = receipt
        self.extensions = extensions
        platform = credential.platform
        osVersion = credential.osVersion
        leafSerial = credential.serial
        certificate = credential.der
        leafNotBefore = credential.notBefore
        leafNotAfter = credential.notAfter
    }
}
