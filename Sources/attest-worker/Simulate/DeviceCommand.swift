import AppAttest
import AttestTestKit
import Wire
import Worker

/// `attest-worker device`: a simulated phone, one message at a time.
enum DeviceCommand {
    static let command = Command(
        name: "device", summary: "be a simulated phone: bodies for a gateway, one at a time",
        help: {
            """
            Prints what a simulated phone with Firebase's SDK would send to a gateway, as one line
            of JSON for curl's --data. The same flags make the same phone. Workers take it where the
            app is marked simulated and trusts the root that `device root` prints.

            Usage: attest-worker device root        [--seed=N]
                   attest-worker device attestation --challenge=BASE64 [PHONE] [--limited-use]
                   attest-worker device assertion   --challenge=BASE64 --artifact=BASE64 --count=N
                                                    [PHONE] [--limited-use]

              --challenge=BASE64  as the gateway gave it
              --artifact=BASE64   as the gateway gave it, for the attestation
              --count=N           the sign count: one more for each assertion, from 1
              --limited-use       asks for a token for limited use

            PHONE is
              --app=APPID         the app, TEAMID.bundle.identifier; \(EmbeddedRun.appID)
              --phone=N           which phone, 0 to 1000000; 1
              --seed=N            which root attests it; \(EmbeddedRun.seed), as run --embedded has

            """
        }, execute: execute)

    private static let words = ["root", "attestation", "assertion"]

    /// What a command line asks for.
    private struct Asked {
        var word: String
        var authority: TestAuthority
        var device: SimulatedDevice
        var challenge: [UInt8]
        var artifact: [UInt8]
        var count: UInt32
        var isLimited: Bool
    }

    private static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        guard let word = arguments.first, words.contains(word) else {
            console.complain(
                "attest-worker device: say what to make: \(words.joined(separator: ", "))\n")
            return .usage
        }
        var flags = CommandFlags(
            Array(arguments.dropFirst()),
            valued: ["--challenge", "--artifact", "--count", "--app", "--phone", "--seed"],
            switches: ["--limited-use"])
        let asked = asked(word, &flags)
        guard flags.problems.isEmpty, let asked else {
            for problem in flags.problems {
                console.complain("attest-worker device: \(problem)\n")
            }
            return .usage
        }
        if let problem = TestAuthority.problem(at: console.instant) {
            console.complain("attest-worker device: the clock: \(problem)\n")
            return .unavailable
        }
        return console.answer(text(asked, at: console.instant))
    }

    private static func asked(_ word: String, _ flags: inout CommandFlags) -> Asked? {
        func bytes(_ name: String, isNeeded: Bool) -> [UInt8] {
            let value = flags.value(name, mustBe: "base64") { text in
                Base64.decode(text).flatMap { $0.isEmpty ? nil : $0 }
            }
            if flags.values[name] == nil, isNeeded { flags.note("\(name) must be given") }
            return value ?? []
        }
        let challenge = bytes("--challenge", isNeeded: word != "root")
        let artifact = bytes("--artifact", isNeeded: word == "assertion")
        let count = flags.number("--count", in: UInt32(1)...UInt32.max)
        if word == "assertion", flags.values["--count"] == nil {
            flags.note("--count must be given")
        }
        let appID = flags.value("--app", mustBe: "an app id, TEAMID.bundle.identifier") {
            SettingsReader.isAppID($0) ? $0 : nil
        }
        let phone = flags.number("--phone", in: UInt64(0)...1_000_000) ?? 1
        let seed = flags.number("--seed", in: UInt64.min...UInt64.max) ?? EmbeddedRun.seed
        for argument in flags.rest { flags.note("there is no flag \"\(argument)\"") }
        guard flags.problems.isEmpty else { return nil }
        let authority = TestAuthority(seed: seed)
        return Asked(
            word: word, authority: authority,
            device: SimulatedDevice(
                seed: phone, appID: appID ?? EmbeddedRun.appID, authority: authority),
            challenge: challenge, artifact: artifact, count: count ?? 1,
            isLimited: flags.switches.contains("--limited-use"))
    }

    private static func text(_ asked: Asked, at instant: Instant) -> String {
        let common =
            #""challenge":"\#(Base64.encode(asked.challenge))","limited_use":\#(asked.isLimited)}"#
        switch asked.word {
        case "attestation":
            let attested = asked.device.attest(
                clientDataHash: ClientDataHash(hashing: asked.challenge), at: instant)
            return #"{"key_id":"\#(asked.device.keyID.text)","#
                + #""attestation_statement":"\#(Base64.encode(attested.object))","# + common + "\n"
        case "assertion":
            let asserted = asked.device.assert(
                clientDataHash: ClientDataHash(hashing: asked.artifact + asked.challenge),
                signCount: asked.count)
            return #"{"artifact":"\#(Base64.encode(asked.artifact))","#
                + #""assertion":"\#(Base64.encode(asserted.object))","# + common + "\n"
        default:
            return asked.authority.rootCertificateAsPEM
        }
    }
}
