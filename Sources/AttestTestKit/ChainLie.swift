public import AppAttest
import LibCrypto

/// Ways to break the chain from the credential certificate to the trust anchor.
///
/// | lies | a verifier must say |
/// | --- | --- |
/// | ``credentialExpired``, ``intermediateExpired`` | `certificate_expired` |
/// | ``credentialNotYetValid``, ``intermediateNotYetValid`` | `certificate_not_yet_valid` |
/// | all others | `chain_invalid` |
///
/// Certificates that were changed are signed anew, unless the lie is the signature itself.
public enum ChainLie: String, Hashable, Sendable, CaseIterable {
    /// Everything is right, but under another root of the same name.
    case otherRoot
    /// The intermediate is not marked as an authority.
    case intermediateNotAnAuthority
    /// The intermediate's key usage has cRLSign, not keyCertSign.
    case intermediateCannotSign
    /// The intermediate has a critical extension that nobody knows.
    case intermediateUnknownCriticalExtension
    /// The intermediate was issued by the genuine one, whose path length is 0.
    case intermediateBelowIntermediate
    /// Another root signed the intermediate, which names the genuine one in every respect.
    case intermediateOfOtherRoot
    /// A bit of the intermediate's signature is another.
    case intermediateForged
    /// The intermediate expired a day ago.
    case intermediateExpired
    /// The intermediate becomes valid in a day.
    case intermediateNotYetValid
    /// One byte follows the intermediate.
    case intermediateTrailingByte
    /// The credential certificate is signed with another key than the intermediate's.
    case credentialOfOtherIntermediate
    /// The root issued the credential certificate itself, past the intermediate.
    case credentialOfRoot
    /// The credential certificate names another issuer than the intermediate.
    case credentialNamesOtherIssuer
    /// A bit of the credential certificate's signature is another.
    case credentialForged
    /// The credential certificate has a critical extension that nobody knows.
    case credentialUnknownCriticalExtension
    /// The credential certificate has an extension of 5,000 bytes.
    case credentialTooLarge
    /// The credential certificate has more extensions than anyone looks through, and behind them a
    /// second nonce.
    case credentialManyExtensions
    /// The credential certificate expired a day ago.
    case credentialExpired
    /// The credential certificate becomes valid in a day.
    case credentialNotYetValid
    /// One byte follows the credential certificate.
    case credentialTrailingByte
    /// The credential certificate is no DER at all.
    case credentialNotACertificate
    /// The certificates stand in the other order.
    case swapped

    /// What a verifier must say.
    public var rejection: RejectionCode {
        switch self {
        case .credentialExpired, .intermediateExpired: .certificateExpired
        case .credentialNotYetValid, .intermediateNotYetValid: .certificateNotYetValid
        case .otherRoot, .intermediateNotAnAuthority, .intermediateCannotSign,
            .intermediateUnknownCriticalExtension, .intermediateBelowIntermediate,
            .intermediateOfOtherRoot, .intermediateForged, .intermediateTrailingByte,
            .credentialOfOtherIntermediate, .credentialOfRoot, .credentialNamesOtherIssuer,
            .credentialForged,
            .credentialUnknownCriticalExtension, .credentialTooLarge, .credentialManyExtensions,
            .credentialTrailingByte, .credentialNotACertificate, .swapped:
            .chainInvalid
        }
    }

    /// Changes the certificates and who signs them.
    ///
    /// - Parameters:
    ///   - chain: the genuine chain.
    ///   - instant: when it is judged.
    func apply(to chain: inout ChainDraft, at instant: Instant) {
        switch self {
        case .otherRoot: chain.signWithTwin()
        case .intermediateNotAnAuthority: chain.changeIntermediate { $0.replace(.endEntity) }
        case .intermediateCannotSign:
            chain.changeIntermediate { $0.replace(.signsRevocationListsOnly) }
        case .intermediateUnknownCriticalExtension:
            chain.changeIntermediate { $0.replace(.unknownCritical) }
        case .intermediateBelowIntermediate: chain.putBelowIntermediate()
        case .intermediateOfOtherRoot: chain.signIntermediateWithTwin()
        case .intermediateForged: chain.change { $0.intermediate.flipLastBit() }
        case .intermediateExpired:
            chain.changeIntermediate { $0.notAfter = instant.adding(days: -1) }
        case .intermediateNotYetValid:
            chain.changeIntermediate { $0.notBefore = instant.adding(days: 1) }
        case .intermediateTrailingByte: chain.change { $0.intermediate.append(0x00) }
        case .credentialOfOtherIntermediate:
            chain.credentialSigner = chain.authority.twin.intermediateKey
        case .credentialOfRoot: chain.signCredentialWithRoot()
        case .credentialNamesOtherIssuer:
            chain.credential.issuer = CertificateDraft.name(commonName: "Attest Test CA 2")
        case .credentialForged: chain.change { $0.credential.flipLastBit() }
        case .credentialUnknownCriticalExtension: chain.credential.replace(.unknownCritical)
        case .credentialTooLarge:
            chain.credential.extensions.append(.unassigned(byteCount: 5000))
        case .credentialManyExtensions: chain.credential.hideSecondNonce()
        case .credentialExpired: chain.credential.notAfter = instant.adding(days: -1)
        case .credentialNotYetValid: chain.credential.notBefore = instant.adding(days: 1)
        case .credentialTrailingByte: chain.change { $0.credential.append(0x00) }
        case .credentialNotACertificate: chain.change { $0.credential = DER.octetString([0x00]) }
        case .swapped: chain.change { $0.swap() }
        }
    }
}

extension CertificateDraft {
    /// Puts many extensions that mean nothing behind the genuine ones, and a nonce behind them.
    fileprivate mutating func hideSecondNonce() {
        for _ in 0..<Certificate.extensionCountMax {
            extensions.append(.unassigned(byteCount: 1))
        }
        extensions.append(CredentialCertificate.nonce([UInt8](repeating: 0, count: 32)))
    }
}
