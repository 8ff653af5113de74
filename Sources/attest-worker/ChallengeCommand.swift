import AppAttest
import FoundationEssentials
import Wire
import Worker

/// `attest-worker challenge`: a challenge for an app.
enum ChallengeCommand {
    static let command = Command(
        name: "challenge", summary: "mint a challenge for an app with challenge: \"signed\"",
        help: {
            """
            Mints a challenge and prints it as JSON, {"challenge": base64, "ttl": "300s"}. Workers
            with the same challenges.secret take it once, for this app and purpose, from an app with
            challenge: "signed". Connects to nothing. A gateway mints many: it asks on the request
            topic, see docs/challenges.md.

            Usage: attest-worker challenge --app=APPID [--purpose=PURPOSE] [--count=N] [SETTINGS]

              --app=APPID        the app, TEAMID.bundle.identifier
              --purpose=PURPOSE  registration, assertion, or any (the default)
              --count=N          so many challenges, one a line (1 to \(countMax); 1)

            \(SettingsCommand.help)
            """
        }, execute: { execute($0, $1, randomBytes: systemRandomBytes) })

    /// The most challenges of one call.
    static let countMax = 10_000

    /// What is printed.
    private struct Minted: Encodable {
        var challenge: String
        var ttl: String
    }

    /// Mints and prints; `randomBytes` gives so many new random bytes.
    static func execute(
        _ arguments: [String], _ console: Console, randomBytes: (Int) -> [UInt8]
    ) -> ExitCode {
        var flags = CommandFlags(
            arguments, valued: ["--app", "--purpose", "--count"], switches: [])
        let appID = flags.value("--app", mustBe: "an app id, TEAMID.bundle.identifier") {
            SettingsReader.isAppID($0) ? $0 : nil
        }
        if flags.values["--app"] == nil { flags.note("--app must name the app") }
        let purposes: [String: SignedChallenge.Purpose] = [
            "any": .any, "registration": .registration, "assertion": .assertion,
        ]
        let purpose = flags.value("--purpose", mustBe: "registration, assertion or any") {
            purposes[$0]
        }
        let count = flags.number("--count", in: 1...countMax) ?? 1
        guard flags.problems.isEmpty, let appID else {
            for problem in flags.problems {
                console.complain("attest-worker challenge: \(problem)\n")
            }
            return .usage
        }
        switch SettingsCommand.read(flags.rest, console, required: ["challenges.secret"]) {
        case .failure(let invalid): return invalid.exitCode
        case .success(let reading):
            guard let policy = reading.settings.challenges.policy else { return .config }
            let expiry = Instant(milliseconds: console.clock() / 1000).advanced(by: policy.lifetime)
            var lines = ""
            for _ in 0..<count {
                guard
                    let challenge = SignedChallenge(
                        appID: appID, purpose: purpose ?? .any, expiry: expiry,
                        random: randomBytes(SignedChallenge.randomByteCount),
                        secrets: policy.secrets),
                    let line = line(of: challenge, policy)
                else { return .software }
                lines += line + "\n"
            }
            return console.answer(lines)
        }
    }

    private static func line(of challenge: SignedChallenge, _ policy: ChallengePolicy) -> String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let minted = Minted(
            challenge: Base64.encode(challenge.bytes),
            ttl: ProtobufDuration.text(policy.lifetime))
        return (try? encoder.encode(minted)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Random bytes of the system: getrandom(2).
    private static func systemRandomBytes(_ count: Int) -> [UInt8] {
        var system = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &system) }
    }
}
