package import Operations
package import Wire

/// What a caller is told of an accepted request, in the JSON of its contract.
package enum GatewayAnswer {
    /// The headers of every answer.
    ///
    /// None may be kept: challenges are used once, tokens are for one app.
    static let headers = [
        ("Content-Type", "application/json; charset=utf-8"), ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
    ]

    /// The answer to a request, by the verdict on it.
    ///
    /// - Parameters:
    ///   - verdict: a worker's.
    ///   - route: what was asked for.
    /// - Returns: 200 with the contract's members.
    /// - Throws: where the verdict refuses, or accepts without what the contract promises: then the
    ///   workers' settings lack it.
    package static func make(
        _ verdict: ReplyVerdict, for route: Route
    ) throws(Refusal) -> HTTPAnswer {
        if let reason = verdict.reason {
            throw Refusal(rejectedFor: reason, isRetryable: verdict.isRetryable)
        }
        return HTTPAnswer(
            status: 200, headers: headers, body: JSONText.object(try members(verdict, route)).bytes)
    }

    private static func members(
        _ verdict: ReplyVerdict, _ route: Route
    ) throws(Refusal) -> [(String, JSONText)] {
        switch route.method {
        case .generateAppAttestChallenge, .challenges:
            guard let challenge = verdict.challenge, let ttl = verdict.ttl else {
                throw missing("challenge")
            }
            return [("challenge", .text(challenge)), ("ttl", .text(ttl))]
        case .exchangeAppAttestAttestation:
            guard let artifact = verdict.artifact else { throw missing("artifact") }
            guard let token = verdict.appCheckToken else { throw missing("token") }
            return [
                ("artifact", .text(artifact)),
                (
                    "appCheckToken",
                    .object(members(of: token.token, ttl: token.ttl, route.version))
                ),
            ]
        case .exchangeAppAttestAssertion:
            guard let token = verdict.token, let ttl = verdict.ttl else { throw missing("token") }
            return members(of: token, ttl: ttl, route.version)
        case .verifyAppCheckToken:
            return verdict.alreadyConsumed == true ? [("alreadyConsumed", .flag(true))] : []
        case .registrations, .assertions:
            return capgo(verdict)
        }
    }

    /// A token; v1beta tells it under its former name too.
    private static func members(
        of token: String, ttl: String, _ version: Route.Version
    ) -> [(String, JSONText)] {
        let former = version == .v1beta ? [("attestationToken", JSONText.text(token))] : []
        return former + [("token", .text(token)), ("ttl", .text(ttl))]
    }

    /// Nothing of what policy or Apple think of the device: the phone may read this.
    private static func capgo(_ verdict: ReplyVerdict) -> [(String, JSONText)] {
        var members: [(String, JSONText)] = [("outcome", .text("accepted"))]
        if let keyID = verdict.keyID { members.append(("keyId", .text(keyID))) }
        if let reattested = verdict.reattested { members.append(("reattested", .flag(reattested))) }
        members.append(("requestId", .text(verdict.requestID.text)))
        if let token = verdict.appCheckToken {
            members.append(
                ("appCheckToken", .object(self.members(of: token.token, ttl: token.ttl, .v1))))
        }
        if let token = verdict.token, let ttl = verdict.ttl {
            members += self.members(of: token, ttl: ttl, .v1)
        }
        return members
    }

    private static func missing(_ what: String) -> Refusal {
        Refusal(
            .unimplemented, "\(what)_not_configured",
            "the workers' settings lack what makes a \(what)")
    }
}
