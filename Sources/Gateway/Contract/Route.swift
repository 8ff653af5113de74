package import Wire

/// What a caller asks for, told by the path.
package enum Method: String, Hashable, Sendable, CaseIterable {
    /// `projects.apps.generateAppAttestChallenge`, and of `oauthClients`.
    case generateAppAttestChallenge
    /// `exchangeAppAttestAttestation`.
    case exchangeAppAttestAttestation
    /// `exchangeAppAttestAssertion`.
    case exchangeAppAttestAssertion
    /// `projects.verifyAppCheckToken`, of v1beta alone.
    case verifyAppCheckToken
    /// `POST /v1/challenges`, for Capgo's plugin.
    case challenges
    /// `POST /v1/registrations`.
    case registrations
    /// `POST /v1/assertions`.
    case assertions

    /// What the body must be.
    package var form: ClientMessage.Form {
        switch self {
        case .generateAppAttestChallenge: .challenge
        case .exchangeAppAttestAttestation: .attestation
        case .exchangeAppAttestAssertion: .assertion
        case .verifyAppCheckToken: .token
        case .challenges: .plainChallenge
        case .registrations: .capgoRegistration
        case .assertions: .capgoAssertion
        }
    }
}

/// Where a request goes.
///
/// Source: the REST reference of firebaseappcheck.googleapis.com, v1 and v1beta.
package struct Route: Hashable, Sendable {
    /// Which version of the contract; v1beta's tokens are told twice.
    package enum Version: String, Hashable, Sendable, CaseIterable {
        case v1
        case v1beta
    }

    /// The version.
    package let version: Version
    /// What is asked for.
    package let method: Method
    /// `projects/*/apps/*`, `oauthClients/*` or `projects/*`; nil on the paths for Capgo.
    package let resource: String?

    /// Reads a path; nil where there is no such one.
    package init?(path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 2, parts[0].isEmpty, let version = Version(rawValue: parts[1]),
            !parts[2...].contains("")
        else { return nil }
        if version == .v1, parts.count == 3,
            let method = [Method.challenges, .registrations, .assertions]
                .first(where: { $0.rawValue == parts[2] })
        {
            self.init(version: version, method: method, resource: nil)
            return
        }
        let rest = parts[2...].joined(separator: "/")
        // An app id has colons of its own; the method stands behind the last one.
        guard let colon = rest.lastIndex(of: ":"),
            let method = Method(rawValue: String(rest[rest.index(after: colon)...]))
        else { return nil }
        let resource = String(rest[..<colon])
        let names = resource.split(separator: "/", omittingEmptySubsequences: false)
        let isRight =
            switch method {
            case .generateAppAttestChallenge, .exchangeAppAttestAttestation,
                .exchangeAppAttestAssertion:
                names.count == 2 && names[0] == "oauthClients"
                    || names.count == 4 && names[0] == "projects" && names[2] == "apps"
            case .verifyAppCheckToken:
                version == .v1beta && names.count == 2 && names[0] == "projects"
            case .challenges, .registrations, .assertions: false
            }
        guard isRight, !names.contains("") else { return nil }
        self.init(version: version, method: method, resource: resource)
    }

    /// A route from its parts.
    package init(version: Version, method: Method, resource: String?) {
        self.version = version
        self.method = method
        self.resource = resource
    }
}
