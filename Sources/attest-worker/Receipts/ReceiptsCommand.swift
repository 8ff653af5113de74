import AppAttest
import AppleReceipts
import HTTPClient
import PostgresStore
import Wire
import Worker

/// `attest-worker receipts`: asks Apple about keys by hand.
enum ReceiptsCommand {
    static let command = Command(
        name: "receipts", summary: "ask Apple for new receipts by hand",
        help: {
            """
            Workers refresh receipts by themselves where receipts.keyPath is set; `attest-worker \
            keys
            show` tells how a key stands. This asks Apple about single keys at once, whether or not
            they are due, also where they were given up.

            Usage: attest-worker receipts refresh --app-id=APP [--json] [SETTINGS] KEY…

              KEY     a key id in base64 or base64url; at most \(keysMax)
              --json  one JSON object a key

            A receipt before its not-before is not sent: Apple gives one a day. Nor is one that a
            worker is asking about. After a 401, a 429, or where Apple can't be reached, the rest is
            not asked about. A change of the metric is told by a worker, within about a minute.

            Ends with 0 when each key has a new receipt; 1 if one has not; 64 wrong usage; 69 the
            database can't be reached; 73 tables are missing; 77 not permitted; 78 settings.

            \(SettingsCommand.help)
            """
        },
        execute: Subcommands(name: "receipts", all: [("refresh", refresh)]).execute)

    private static let keysMax = 1000

    private static func refresh(_ arguments: [String], _ console: Console) -> ExitCode {
        var keyIDs: [KeyID] = []
        var seen: Set<KeyID> = []
        var rest: [String] = []
        for argument in arguments {
            if let keyID = KeyID(text: argument) {
                if seen.insert(keyID).inserted { keyIDs.append(keyID) }
            } else {
                rest.append(argument)
            }
        }
        var flags = CommandFlags(rest, valued: ["--app-id"], switches: ["--json"])
        if flags.values["--app-id"] == nil { flags.note("--app-id must be given") }
        noteMisnamed(&flags)
        if keyIDs.isEmpty || keyIDs.count > keysMax {
            flags.note("one to \(keysMax) key ids must be given, in base64")
        }
        return Tool.run("receipts refresh", flags, console, required: []) { (tool) throws(Fault) in
            guard let access = tool.settings.receipts.access else {
                throw Fault(
                    operation: "sign in to Apple", code: "no_key", disposition: .stop(.config),
                    message: "receipts.keyPath and receipts.teamId must be set")
            }
            return try refresh(keyIDs, access, tool)
        }
    }

    /// Tells of each word that is neither a key id nor a flag, nor a flag's value.
    private static func noteMisnamed(_ flags: inout CommandFlags) {
        var isValue = false
        for word in flags.rest {
            let isFlag = word.hasPrefix("--")
            if !isFlag, !isValue {
                flags.note(
                    "\(printable(word)) is no key id: that is base64 or base64url of 32 bytes, such"
                        + " as bSrEhF8TIzIvWSPwvZ0i2+UOBre4ASH84rK15m6emNY=")
            }
            isValue = isFlag && !word.contains("=")
        }
    }

    private static func refresh(
        _ keyIDs: [KeyID], _ access: ProviderAccess, _ tool: Tool
    ) throws(Fault) -> ExitCode {
        do throws(Fault) {
            _ = try ProviderTokens(Live(access), read: Console.process.fileBytes).key()
        } catch {
            // A worker goes on without; here somebody waits who can mend it.
            throw Fault(
                operation: error.operation, code: error.code, disposition: .stop(.config),
                message: error.message)
        }
        if let problem = ProviderKeyCheck.rootProblem(tool.settings) {
            throw Fault(
                operation: "prepare requests to Apple", code: "roots_unusable",
                disposition: .stop(.config), message: problem)
        }
        let refresher = try tool.refresher(access)
        var isComplete = true
        var isOver = false
        for keyID in keyIDs {
            let tried =
                isOver
                ? nil : try refresher.refresh(keyID, of: tool.flags.values["--app-id"] ?? "")
            if tried?.endsAsking == true { isOver = true }
            let report = Report(keyID, tried)
            if report.result != "renewed" { isComplete = false }
            let code = tool.isJSON ? tool.print(report) : tool.print([report.text])
            guard code == .success else { return code }
        }
        return isComplete ? .success : .negative
    }

    /// What came of one key.
    private struct Report: Encodable {
        var keyId: String
        var result: String
        var detail: String?
        var riskMetric: UInt32?

        /// A report; of a key that was not asked about, as another one's answer forbids, without
        /// a try.
        init(_ keyID: KeyID, _ tried: HandTry?) {
            keyId = keyID.text
            switch tried {
            case .tried(let outcome, let word):
                result = outcome.name
                if !word.isEmpty { detail = word }
                if case .renewed(_, let facts) = outcome { riskMetric = facts.metric }
            case .unknown: result = "unknown"
            case .busy(let since):
                result = "busy"
                detail =
                    "is being asked about by a worker since \(since.rfc3339): try again later"
            case .early(let notBefore):
                result = "too_early"
                detail = "not asked, as Apple gives no other one before \(notBefore.rfc3339)"
            case nil:
                result = "not_asked"
                detail = "the answer before concerns all keys"
            }
        }

        var text: String {
            let metric = riskMetric.map { ", risk metric \($0)" } ?? ""
            let what = result == "unknown" ? "is not known, or of another app" : result
            return "\(keyId) \(what)\(metric)" + (detail.map { " (\($0))" } ?? "")
        }
    }
}

extension Tool {
    /// A refresher that asks about one key at a time and tells nobody.
    fileprivate func refresher(
        _ access: ProviderAccess
    ) throws(Fault) -> Refresher<
        PostgresReceiptStore, AppleReceiptService, NoTopic, SystemRandomNumberGenerator
    > {
        let policy = Live(Policy(settings))
        var parts = RefresherSettings(
            appIDs: { policy.value.appsWithReceipts }, fleet: access.teamID,
            rules: settings.receipts.rules, riskTopic: settings.kafka.topics.risk,
            group: settings.kafka.groupID)
        parts.tellsChanges = false
        let service: AppleReceiptService
        do {
            service = try AppleReceiptService(AppleReceiptService.Settings(settings.receipts)) {
                false
            }
        } catch {
            throw Fault(
                operation: "prepare requests to Apple", code: "libcurl",
                disposition: .stop(.software), message: error.description)
        }
        let owner = "\(SettingsCommand.workerID(console)) \(name)"
        return Refresher(
            settings: parts,
            neighbours: (
                PostgresReceiptStore(PostgresSettings(settings, owner: owner)), service, NoTopic()
            ), check: ReceiptCheck(policy),
            tokens: ProviderTokens(Live(access), read: Console.process.fileBytes),
            clock: .system, random: SystemRandomNumberGenerator(), stop: StopSignal(),
            pause: Tool.pause, log: SettingsCommand.log(settings, console),
            observer: RefreshObserver(clock: .system))
    }
}

/// Where nothing is published: a worker finds what is untold.
private final class NoTopic: VerdictSink {
    func enqueue(_: [(ticket: UInt64, record: OutgoingRecord)]) throws(Fault) {}

    func reports(wait _: Duration) throws(Fault) -> [DeliveryReport] { [] }

    func close(wait _: Duration) {}
}
