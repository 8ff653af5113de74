import AppAttest
import LibCrypto
import Wire

/// Verdicts of every outcome; the schema tests take the same list.
enum VerdictSamples {
    static let place = RecordPlace(topic: "attest.requests.v1", partition: 3, offset: 41)
    static let id = VerdictID(SHA256.hash([0]))

    /// An accepted registration with all that can be known.
    static var fullRegistration: Verdict {
        var verdict = Verdict(verdictID: id, outcome: .accepted, source: place)
        verdict.requestID = Sample.requestID
        verdict.kind = .registration
        verdict.keyID = Sample.keyID
        verdict.appID = "TEAMID1234.com.example.app"
        verdict.environment = .production
        verdict.signCount = 0
        verdict.reattested = false
        verdict.validationCategory = 4
        verdict.bundleVersion = "7.1.0"
        verdict.platform = "iphoneos"
        verdict.osVersion = "27.0"
        verdict.subject = "user-42"
        verdict.receipt = .valid
        return verdict
    }

    /// An accepted assertion with the greatest numbers.
    static var assertion: Verdict {
        var verdict = Verdict(
            verdictID: id, outcome: .accepted,
            source: RecordPlace(topic: "t", partition: .max, offset: .max))
        verdict.kind = .assertion
        verdict.keyID = Sample.keyID
        verdict.appID = "TEAMID1234.com.example.app"
        verdict.environment = .development
        verdict.signCount = .max
        return verdict
    }

    /// An accepted assertion of a simulated device.
    static var simulated: Verdict {
        var verdict = assertion
        verdict.isSimulated = true
        return verdict
    }

    /// An accepted assertion that two policies would reject which only report.
    static var reported: Verdict {
        var verdict = assertion
        verdict.wouldReject = [.worker(.keyAlreadyRegistered), .verification(.aclMismatch)]
        return verdict
    }

    /// An accepted registration of an app that opted in to its code directory hash.
    static var signedHash: Verdict {
        var verdict = fullRegistration
        verdict.cdHash = "sha256:" + String(repeating: "0f", count: 32)
        verdict.areExtensionsAnnounced = true
        return verdict
    }

    /// An accepted assertion of a key whose metric is known.
    static var risky: Verdict {
        var verdict = assertion
        verdict.risk = RiskStanding(metric: 3, asOf: Instant(milliseconds: 1_790_000_000_999))
        return verdict
    }

    /// One rejection for each reason.
    static var rejections: [Verdict] {
        Reason.all.map { reason in
            var verdict = Verdict(verdictID: id, outcome: .rejected(reason), source: place)
            verdict.kind = .assertion
            verdict.keyID = Sample.keyID
            return verdict
        }
    }

    /// An accepted registration whose receipt is not valid.
    static var withInvalidReceipt: Verdict {
        var verdict = fullRegistration
        verdict.receipt = .invalid(.receiptTooOld)
        return verdict
    }

    /// An accepted registration in the App Check dialect.
    static var withArtifact: Verdict {
        var verdict = fullRegistration
        verdict.artifact = Sample.artifact
        return verdict
    }

    /// An accepted registration of an app that gets tokens.
    static var withRegistrationToken: Verdict {
        var verdict = withArtifact
        verdict.token = IssuedToken(token, isForLimitedUse: false)
        verdict.lifetime = .seconds(3600)
        return verdict
    }

    /// An accepted assertion of such an app.
    static var withToken: Verdict {
        var verdict = assertion
        verdict.token = IssuedToken(token, isForLimitedUse: true)
        verdict.lifetime = .seconds(300)
        return verdict
    }

    /// A token that is consumed, for the first time or again.
    static func consumed(isConsumedBefore: Bool) -> Verdict {
        var verdict = Verdict(verdictID: id, outcome: .accepted, source: place)
        verdict.kind = .consume
        verdict.appID = "TEAMID1234.com.example.app"
        verdict.isConsumedBefore = isConsumedBefore
        return verdict
    }

    private static let token = "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJpIn0.c2lnbmF0dXJl"

    /// A challenge that was asked for.
    static var challenge: Verdict {
        var verdict = Verdict(verdictID: id, outcome: .accepted, source: place)
        verdict.requestID = Sample.requestID
        verdict.kind = .challenge
        verdict.appID = "TEAMID1234.com.example.app"
        verdict.challenge = [UInt8](repeating: 7, count: 58)
        verdict.lifetime = .milliseconds(300_050)
        return verdict
    }

    /// A rejection of which nothing is known but its place.
    static var bare: Verdict {
        Verdict(verdictID: id, outcome: .rejected(.worker(.malformedMessage)), source: place)
    }

    static var all: [Verdict] {
        [
            fullRegistration, signedHash, assertion, simulated, reported, withInvalidReceipt, risky,
            challenge, withArtifact, withRegistrationToken, withToken,
            consumed(isConsumedBefore: false), consumed(isConsumedBefore: true), bare,
        ] + rejections
    }
}
