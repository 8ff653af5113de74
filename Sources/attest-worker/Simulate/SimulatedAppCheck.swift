import AppAttest
import AttestTestKit
import Worker

/// Whether requests of simulated devices may be sent: only where the settings expect them.
enum SimulatedAppCheck {
    /// What stands against it, in words for the person who called the command.
    ///
    /// - Parameters:
    ///   - options: the app, the seed, and what is to be sent.
    ///   - settings: those of the workers.
    ///   - now: the clock: when the devices are attested.
    /// - Returns: nothing if the app is simulated and trusts the seed's root.
    static func problems(_ options: SimulateOptions, _ settings: Settings, now: Instant) -> [String]
    {
        guard let app = settings.apps.first(where: { $0.appIDs.contains(options.appID) }) else {
            let simulated = settings.apps.filter(\.isSimulated).flatMap(\.appIDs)
            let known =
                simulated.isEmpty
                ? "none of its apps is simulated"
                : "simulated are \(simulated.joined(separator: ", "))"
            return ["the settings have no app \(options.appID); \(known)"]
        }
        guard app.isSimulated else {
            return [
                "the app \(options.appID) is not marked \"simulated\": true in the settings, so its"
                    + " users are real; nothing is sent"
            ]
        }
        var problems: [String] = []
        if let problem = TestAuthority.problem(at: now) {
            problems.append("the clock: \(problem)")
        }
        let root = options.seed.authority.rootCertificate
        if app.trustAnchor.flatMap(PEM.certificate) != root {
            problems.append(
                "the trustAnchor of \(options.appID) is not the root of this seed; `attest-worker"
                    + " simulate --print-root` with the same seed prints that")
        }
        if !app.environments.contains(.production) {
            problems.append(
                "the environments of \(options.appID) must contain production: the devices belong"
                    + " to it")
        }
        let kinds = options.isCanary ? [] : options.lies?.shares.map(\.kind) ?? []
        if app.environments.contains(.development), kinds.contains(.developmentKey) {
            problems.append(
                "the app takes keys of the development environment: leave out the lie development")
        }
        if app.rules.reattestation == .reject, kinds.contains(.reattestation) {
            problems.append(
                "the app refuses second attestations: leave out the lie reattested")
        }
        let allowed = app.rules.platforms.allow
        let refused = options.shapes.filter { !allowed.contains($0.isMac ? .macOS : .iOS) }
        if !refused.isEmpty, app.rules.platforms.mode == .enforce {
            problems.append(
                "the app's policy refuses some of the devices (platforms.allow): --ios leaves"
                    + " the Macs out, and an app without that policy takes all")
        }
        return problems
    }
}
