import Gateway
import Operations
import Testing

/// Who is served, and whom rates are counted by.
@Suite struct CallerTests {
    private static let key = "AIza-0123456789abcdef"
    private static let token = "backend-token-0123456789"

    private func rules(
        keys: String? = key, tokens: String? = token, anonymous: Bool = false,
        header: String? = nil
    ) -> CallerRules {
        CallerRules(
            apiKeys: keys, bearerTokens: tokens, allowsAnonymous: anonymous, addressHeader: header)
    }

    private func request(
        _ headers: [String: String], peer: String = "192.0.2.7"
    ) -> ExchangeRequest {
        ExchangeRequest(method: "POST", path: "/", headers: headers, peer: peer)
    }

    @Test func `a key is an app, a token is a backend, and neither is told in the name`() throws {
        let app = try rules().caller(of: request(["x-goog-api-key": Self.key]))
        #expect(app.standing == .app && app.network == [192, 0, 2, 7])
        let backend = try rules().caller(of: request(["authorization": "bearer \(Self.token)"]))
        #expect(backend.standing == .backend)
        for caller in [app, backend] {
            #expect(caller.name.utf8.count == 8)
            #expect(!Self.key.contains(caller.name) && !Self.token.contains(caller.name))
        }
        #expect(app.name != backend.name)
    }

    @Test(
        arguments: [
            [:], ["x-goog-api-key": ""], ["x-goog-api-key": "AIza-0123456789abcdeF"],
            ["x-goog-api-key": "AIza-0123456789abcdef "], ["x-goog-api-key": token],
            ["authorization": "Bearer \(key)"], ["authorization": "Bearer"],
            ["authorization": "Basic \(token)"], ["authorization": token],
            ["authorization": "Bearer wrong-token-0123456789", "x-goog-api-key": key],
        ] as [[String: String]])
    func `others are not served`(headers: [String: String]) {
        let refusal = #expect(throws: Refusal.self) { try rules().caller(of: request(headers)) }
        #expect(refusal?.status == 401)
    }

    @Test func `whoever shows nothing is served only where that is set`() throws {
        #expect(!rules(keys: nil, tokens: nil).servesAnyone)
        let open = rules(keys: nil, tokens: nil, anonymous: true)
        #expect(open.servesAnyone)
        #expect(try open.caller(of: request([:])).standing == .anonymous)
        // Apps send their key also where none is asked for.
        #expect(try open.caller(of: request(["x-goog-api-key": "any"])).standing == .anonymous)
    }

    @Test func `of several keys each is taken, whatever the line ends are`() throws {
        let rules = rules(keys: "first-key-0123456789\r\n\(Self.key)\n\n")
        for key in ["first-key-0123456789", Self.key] {
            #expect(try rules.caller(of: request(["x-goog-api-key": key])).standing == .app)
        }
    }

    @Test(
        arguments: [
            ("203.0.113.9", [203, 0, 113, 9]), ("198.51.100.1, 203.0.113.9", [203, 0, 113, 9]),
            ("203.0.113.9:4711", [203, 0, 113, 9]), ("::ffff:203.0.113.9", [203, 0, 113, 9]),
            ("2001:db8:1:2:3:4:5:6", [0x20, 0x01, 0x0D, 0xB8, 0, 1, 0, 2]),
            ("[2001:db8:1:2::9]:443", [0x20, 0x01, 0x0D, 0xB8, 0, 1, 0, 2]),
            ("fe80::1%eth0", [0xFE, 0x80, 0, 0, 0, 0, 0, 0]), ("unknown", []), ("", []), (",", []),
        ] as [(String, [UInt8])])
    func `behind a proxy the address that it appended counts`(
        value: String, network: [UInt8]
    ) throws {
        let rules = rules(anonymous: true, header: "X-Forwarded-For")
        let caller = try rules.caller(of: request(["x-forwarded-for": value]))
        #expect(caller.network == network)
    }

    @Test func `without a proxy nobody chooses an address`() throws {
        let caller = try rules(anonymous: true).caller(
            of: request(["x-forwarded-for": "203.0.113.9"], peer: "2001:db8::1"))
        #expect(caller.network == [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0])
    }
}
