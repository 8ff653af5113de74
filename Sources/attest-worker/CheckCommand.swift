import PostgresStore
import Worker

/// `attest-worker check`: whether `run` would find what it needs; consumes and changes nothing.
enum CheckCommand {
    static let command = Command(
        name: "check", summary: "check settings, PostgreSQL and Kafka without consuming",
        help: {
            """
            Checks what `run` needs, and prints a line for each: settings, the database and its
            schema, the brokers, the topics, and how they fit together: retention, message sizes,
            memory, time limits. `run` looks at the same before it starts. Consumes nothing and
            changes nothing.

            Each line begins with `ok`, with `warn` (it costs something: found, needed, what to do)
            or with `FAIL` (`run` would not start).

            Usage: attest-worker check [SETTINGS]
                   attest-worker check --policy=FILE [--against-last=N] [--json] [SETTINGS]

            --policy=FILE: settings whose apps, and list of revocations, are tried before they are
            rolled out. The last requests that the inbox keeps (\(requestsDefault), or
            --against-last) are judged by them again, as far as what is kept tells: how many would
            be refused or reported and were not, how many were refused and may be accepted, and
            why. Signatures, sign counts and challenges are not judged again. Reads only. Ends with
            1 if a request would be refused that was accepted, or might be accepted that was
            refused, and else with 0: another reason of a refusal, what would only be reported, and
            what can't be told don't count.

            Without --policy: ends with 0 when nothing failed; else, of what is wrong, with the
            gravest: 78 settings, 77 refused access, 73 schema or topics not as needed, 69 not
            reachable.

            \(SettingsCommand.help)
            """
        }, execute: execute)

    /// How many requests a policy is tried on.
    private static let requestsDefault = 10_000

    private static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        var flags = CommandFlags(
            arguments, valued: ["--policy", "--against-last"], switches: ["--json"])
        let count = flags.number("--against-last", in: 1...CheckTrial.requestsMax)
        if let path = flags.values["--policy"] {
            return Tool.run("check", flags, console, required: []) { (tool) throws(Fault) in
                try CheckTrial.run(path, last: count ?? requestsDefault, tool)
            }
        }
        switch SettingsCommand.read(
            arguments, console, required: SettingsCommand.requiredToRun)
        {
        case .failure(let invalid): return invalid.exitCode
        case .success(let reading):
            let findings = StartUpCheck.findings(
                reading.settings, ProcessFacts(reading.settings),
                owner: SettingsCommand.workerID(console))
            guard console.answer(findings.report) == .success else { return .software }
            return findings.exitCode
        }
    }
}
