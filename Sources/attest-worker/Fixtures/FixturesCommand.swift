import AppAttest
import AttestTestKit
import Worker

/// `attest-worker fixtures`: requests and their verdicts as files, for tests in any language.
enum FixturesCommand {
    static let command = Command(
        name: "fixtures", summary: "write requests and their expected verdicts as JSON Lines",
        help: {
            """
            Writes requests of simulated devices and the verdicts they must get: an honest device
            that registers and asserts, and one request for each kind of lie. With them, a test in
            any language can play the gateway; README.md in the folder tells the rest.

            Usage: attest-worker fixtures --out=DIR [--app-id=TEAM.bundle] [--at=RFC3339]
                                          [--seed=N | --seed-file=FILE] [--run=N]

              --out=DIR         a folder; it is made if it is not there, and files of the same
                                names in it are replaced
              --app-id=ID       \(EmbeddedRun.appID)
              --at=RFC3339      when the requests are sent; now. Devices can be attested from
                                2020-03-18 to 2045-03-15
              --seed=N          what the root and all keys follow from; \(EmbeddedRun.seed), as for
                                `attest-worker run --embedded`
              --seed-file=FILE  the same, as a secret
              --run=N           which devices and request ids under the same root; others at
                                each --at

            The same flags, --at among them, give the same bytes.

            Ends with
               0  written
              64  wrong command line
              73  the folder can't be written

            """
        }, execute: execute)

    private static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        var flags = CommandFlags(
            arguments,
            valued: SimulationSeed.flags.union(["--out", "--app-id", "--at", "--run"]),
            switches: [])
        for argument in flags.rest { flags.note("there is no flag \"\(argument)\"") }
        var parameters = FixtureFiles.Parameters()
        parameters.at = console.instant
        parameters.seed = SimulationSeed.read(&flags, console.readFile) ?? parameters.seed
        parameters.at =
            flags.value("--at", mustBe: "a time such as 2026-01-31T12:00:00Z") {
                Instant(rfc3339: $0)
            } ?? parameters.at
        // A database answers requests that it has seen from its inbox: so each moment has its own.
        parameters.run =
            flags.number("--run", in: 0...UInt64.max)
            ?? UInt64(clamping: parameters.at.milliseconds)
        parameters.appID =
            flags.value("--app-id", mustBe: "a team id, a dot and a bundle identifier") { text in
                SettingsReader.isAppID(text) ? text : nil
            } ?? parameters.appID
        let folder = flags.values["--out"] ?? ""
        if folder.isEmpty { flags.note("--out=DIR is needed") }
        if let problem = TestAuthority.problem(at: parameters.at) {
            flags.note("--at, or the clock where it is left out: \(problem)")
        }
        guard flags.problems.isEmpty else {
            for problem in flags.problems {
                console.complain("attest-worker fixtures: \(problem)\n")
            }
            console.complain("`attest-worker fixtures --help` tells more.\n")
            return .usage
        }
        return write(parameters, to: folder, console)
    }

    private static func write(
        _ parameters: FixtureFiles.Parameters, to folder: String, _ console: Console
    ) -> ExitCode {
        guard let fixtures = FixtureFiles(parameters) else {
            console.complain("attest-worker fixtures: the requests can't be encoded\n")
            return .software
        }
        do throws(OutputFolder.Problem) {
            let output = try OutputFolder(making: folder)
            for (name, bytes) in fixtures.files { try output.write(bytes, to: name) }
        } catch {
            console.complain("attest-worker fixtures: \(error.message)\n")
            return .incompatible
        }
        let names = fixtures.files.map(\.name).joined(separator: ", ")
        return console.answer("wrote \(names) to \(folder)\n")
    }
}
