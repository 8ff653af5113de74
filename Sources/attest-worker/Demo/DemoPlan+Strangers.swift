import AppAttest
import AttestTestKit
import Wire

// The requests of devices that must never be registered: each has a key of its own.

/// What is wrong with an attestation that must be refused.
enum DemoIntrusion {
    /// The object lies.
    case lie(AttestationLie)
    /// The device belongs to Apple's development environment.
    case development
    /// The gateway had given another challenge.
    case otherChallenge
    /// The object is genuine, but from so long ago that its certificate has expired.
    case expired

    /// The chain lies.
    static func chain(_ lie: ChainLie) -> DemoIntrusion {
        .lie(.chain(lie))
    }

    /// Authenticator data lies.
    static func attestedData(_ lie: AttestedDataLie) -> DemoIntrusion {
        .lie(.attestedData(lie))
    }
}

extension DemoPlan {
    /// Longer than any credential certificate has ever lived.
    private static let longAgoMilliseconds: Int64 = 400 * 86_400_000

    /// An attestation that must be refused.
    mutating func intrude(_ kind: DemoKind, _ intrusion: DemoIntrusion) -> DemoRequest {
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
    mutating func assertWithUnknownKey() -> DemoRequest {
        var stranger = stranger(.production)
        let content = content.assertion()
        let minted = stranger.assert(clientDataHash: content.clientDataHash)
        return message(.unknownKey, subject: nil)
            .request(minted, content)
    }

    private mutating func stranger(_ environment: AttestationEnvironment) -> SimulatedDevice {
        let number = UInt64(strangers.count)
        let shapes = DeviceShape.allCases
        let device = SimulatedDevice(
            seed: deviceSeed(.max - number), appID: Self.appID, environment: environment,
            shape: shapes[Int(number) % shapes.count], authority: authority)
        strangers.insert(device.keyID)
        return device
    }
}
