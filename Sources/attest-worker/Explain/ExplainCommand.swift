import AppAttest
import LibCrypto
import PostgresStore
import Wire
import Worker

/// `attest-worker explain`: why a request got its verdict, in words.
enum ExplainCommand {
    static let command = Command(
        name: "explain", summary: "tell why a request was accepted or refused",
        help: {
            """
            Tells what was decided on a request, why, and by which policy, list of revocations and
            version: from attest.audit where audit.enabled was set, from the inbox alone, with less
            to tell, where it was not. Changes nothing.

            Usage: attest-worker explain --request-id=ID [--policy] [--json] [SETTINGS]

              --request-id=ID  the id that the gateway gave the request
              --policy         prints the policy that the latest decision rested on, as settings
                               that `attest-worker check --policy` can load, and nothing else
              --json           prints one JSON object

            Ends with 0; with 1 if nothing is kept of the request; 64 wrong usage; 69 not reachable;
            73 tables are missing; 77 the database role may not; 78 settings.

            \(SettingsCommand.help)
            """
        }, execute: execute)

    private static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        var flags = CommandFlags(
            arguments, valued: ["--request-id"], switches: ["--policy", "--json"])
        let id = flags.value(
            "--request-id", mustBe: "1 to \(RequestID.bytesMax) bytes, on one line"
        ) { RequestID($0) }
        if id == nil, flags.problems.isEmpty { flags.note("--request-id must be given") }
        return Tool.run("explain", flags, console, required: []) { (tool) throws(Fault) in
            guard let id else { return .usage }
            return try explain(id, tool)
        }
    }

    private static func explain(_ id: RequestID, _ tool: Tool) throws(Fault) -> ExitCode {
        // Only of a request without an id do place and time count.
        let identity = RequestIdentity(
            requestID: id, place: RecordPlace(topic: "", partition: 0, offset: 0),
            timestampMilliseconds: nil)
        let store = tool.store()
        defer { store.close() }
        let (inbox, audit) = try store.explanation(of: identity)
        guard let report = ExplainReport(id, inbox: inbox, audit: audit) else {
            tool.console.complain(
                "nothing is kept of this request: it was never decided here, or longer ago than"
                    + " postgres.inboxRetention and audit.retention\n")
            return .negative
        }
        if tool.flags.switches.contains("--policy") {
            guard let policy = audit.first?.basis?.policy else {
                tool.console.complain(
                    "the policy is not kept: audit.enabled was not set when it was decided\n")
                return .negative
            }
            return tool.print([policy])
        }
        return tool.isJSON ? tool.print(report) : tool.print(report.lines)
    }
}
