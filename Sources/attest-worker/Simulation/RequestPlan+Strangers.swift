import AppAttest
import AttestTestKit
import Wire

// The requests of devices that must never be registered: each has a key of its own.

/// What is wrong with an attestation that must be refused.
enum Intrusion {
    /// The object lies.
    case lie(AttestationLie)
    /// The device belongs to Apple's development environment.
    case development
    /// The gateway had given another challenge.
    case otherChallenge
    /// The object is genuine, but from so long ago that its certificate has expired.
    case expired

    /// The chain lies.
    static func chain(_ lie: ChainLie) -> Intrusion {
        .lie(.chain(lie))
    }

    /// Authenticator data lies.
    static func attestedData(_ lie: AttestedDataLie) -> Intrusion {
        .lie(.attestedData(lie))
    }
}

extension RequestPlan {
    /// Longer than any credential certificate has ever lived.
    private static let longAgoMilliseconds: Int64 = 400 * 86_400_000

    /// An attestation that must be refused.
    mutating func intrude(_ kind: PlannedKind, _ intrusion: Intrusion) -> PlannedRequest {
        var environment = AttestationEnvironment.production
        var instant = now
        var lie: AttestationLie?
        let attested = content.registration()
        var claimed = attested
        switch intrusion {
        case .lie(let told): lie = told
        case .development: environment = .development
        case .otherChallenge: claimed = content.registration()
        case .expired:
            instant = Instant(milliseconds: now.milliseconds - Self.longAgoMilliseconds)
        }
        let minted = stranger(environment).attest(
            clientDataHash: attested.clientDataHash, at: instant, lie: lie)
        return message(kind, subject: nil)
            .request(minted, claimed)
    }

    /// A genuine assertion with a key that nobody has registered.
    mutating func assertWithUnknownKey() -> PlannedRequest {
        var stranger = stranger(.production)
        let content = content.assertion()
        let minted = stranger.assert(clientDataHash: content.clientDataHash)
        return message(.unknownKey, subject: nil)
            .request(minted, content)
    }

    private mutating func stranger(_ environment: AttestationEnvironment) -> SimulatedDevice {
        let number = strangerCount
        strangerCount += 1
        let device = SimulatedDevice(
            seed: deviceSeed(.max - number), appID: settings.appID, environment: environment,
            shape: shape(number), authority: settings.authority)
        if strangers.count < Self.strangersMax { strangers.insert(device.keyID) }
        return device
    }
}
