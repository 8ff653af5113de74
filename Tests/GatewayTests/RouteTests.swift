import Gateway
import Testing
import Worker

/// Paths of the contract, and those that are none.
@Suite struct RouteTests {
    static let resources = [
        "projects/123/apps/1:123:ios:abc", "projects/my-project/apps/1:123:ios:abc",
        "oauthClients/987-xyz.apps.googleusercontent.com",
    ]

    @Test(
        arguments: resources,
        [
            Method.generateAppAttestChallenge, .exchangeAppAttestAttestation,
            .exchangeAppAttestAssertion,
        ])
    func `both versions have the three methods for each kind of name`(
        resource: String, method: Method
    ) {
        for version in Route.Version.allCases {
            #expect(
                Route(path: "/\(version.rawValue)/\(resource):\(method.rawValue)")
                    == Route(version: version, method: method, resource: resource))
        }
    }

    @Test func `tokens are verified in v1beta alone, by project`() {
        #expect(
            Route(path: "/v1beta/projects/123:verifyAppCheckToken")
                == Route(version: .v1beta, method: .verifyAppCheckToken, resource: "projects/123"))
        #expect(Route(path: "/v1/projects/123:verifyAppCheckToken") == nil)
        #expect(Route(path: "/v1beta/projects/1/apps/2:verifyAppCheckToken") == nil)
    }

    @Test(arguments: [Method.challenges, .registrations, .assertions])
    func `Capgo's paths have no name in them`(method: Method) {
        #expect(
            Route(path: "/v1/\(method.rawValue)")
                == Route(version: .v1, method: method, resource: nil))
        #expect(Route(path: "/v1beta/\(method.rawValue)") == nil)
        #expect(Route(path: "/v1/\(method.rawValue)/") == nil)
        #expect(Route(path: "/v1/projects/1/apps/2:\(method.rawValue)") == nil)
    }

    @Test(
        arguments: [
            "", "/", "//", "/v1", "/v1/", "/v2/oauthClients/a:generateAppAttestChallenge",
            "/v1/oauthClients/:generateAppAttestChallenge", "/v1/oauthClients/a",
            "/v1/oauthClients/a:", "/v1/oauthClients/a:GenerateAppAttestChallenge",
            "/v1/projects/1:generateAppAttestChallenge", "/v1/projects//apps/2:generateAppAttest",
            "/v1/projects/1/apps/:exchangeAppAttestAttestation", "v1/registrations",
            "/v1/projects/1/apps/2/x:exchangeAppAttestAttestation", "/v1//registrations",
            "/v1/projects/1/things/2:exchangeAppAttestAttestation", "/metrics",
            // What Firebase's server has beside the contract.
            "/v1/projects/1/apps/2/appAttestConfig",
            "/v1/projects/1/apps/-/appAttestConfig:batchGet",
            "/v1/jwks", "/v1/projects/1/apps/2:exchangeDeviceCheckToken",
            "/v1/projects/1/apps/2:exchangeDebugToken", "/v1/projects/1/apps/2:exchangeCustomToken",
        ])
    func `other paths are unknown`(path: String) {
        #expect(Route(path: path) == nil)
    }

    @Test func `names lead to apps, and only theirs`() {
        var first = Settings.App()
        first.appID = "TEAM.first"
        first.resources = ["projects/1/apps/a", "projects/one/apps/a", "oauthClients/o"]
        var second = Settings.App()
        second.appID = "TEAM.second"
        second.moreAppIDs = ["TEAM.beta"]
        let two = AppDirectory([first, second])
        #expect(two.appID(of: "projects/one/apps/a") == "TEAM.first")
        #expect(two.appID(of: "oauthClients/o") == "TEAM.first")
        #expect(two.appID(of: "projects/1/apps/b") == nil)
        #expect(two.hasProject("projects/1") && two.hasProject("projects/one"))
        #expect(!two.hasProject("projects/2") && !two.hasProject("projects/o"))
        #expect(two.appID(named: "TEAM.beta") == "TEAM.beta")
        #expect(two.appID(named: "TEAM.other") == nil)
        #expect(two.appID(named: nil) == nil, "there is more than one")
        #expect(AppDirectory([first]).appID(named: nil) == "TEAM.first")
    }
}
