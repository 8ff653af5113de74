import AppAttest
import PostgresStore
import Worker

/// `attest-worker keys`: looks at registered keys and takes them out of use, while workers run.
enum KeysCommand {
    static let command = Command(
        name: "keys", summary: "show, list, revoke, move and erase registered keys",
        help: { help }, execute: execute)

    private static var help: String {
        """
        Looks at registered keys, or takes them out of use. Workers may run meanwhile, and obey from
        their next batch on.

        Usage: attest-worker keys show   --app-id APP KEY… [--json] [SETTINGS]
               attest-worker keys list   [FILTERS] [--limit N] [--after KEY] [--json] [SETTINGS]
               attest-worker keys revoke --app-id APP --reason TEXT KEY… [--dry-run] [--json]
                                  [SETTINGS]
               attest-worker keys move   --app-id APP --to SUBJECT --reason TEXT KEY… [--dry-run]
                                  [--json] [SETTINGS]
               attest-worker keys erase  --app-id APP KEY… [--dry-run] [--json] [SETTINGS]

        KEY is a key id in base64 or base64url; --keys=FILE takes them from a file, - from standard
        input, \(KeysOptions.keysMax) at the most.

          show    all that is stored of the keys
          list    keys in the order of their ids, \
        100 a page, or --limit=1…\(KeysOptions.pageMax); the next page is
                that --after the last key. FILTERS: --app-id, --environment, --subject,
                --status=active|revoked|erased, --since=TIME (registered or taken out of use since)
          revoke  requests of the keys are answered key_revoked. --reason is kept beside the keys:
                  1 to \(KeyChange.reasonBytesMax) bytes, for operators; it is in no verdict
          move    the keys belong to another subject from now on; from whom to whom, why, when and
                  by which database role is kept in attest.key_moves
          erase   public key, subject, receipt and metadata are deleted, and what stays is a
                  tombstone: requests of the keys are answered key_erased, also when their
                  registration is read again. Then the inbox is searched, all of it, and the
                  verdicts on these keys' requests are replaced by key_erased. Do it again if it
                  is interrupted. Records on Kafka's topics leave by their retention
          --dry-run  tells what would be done, and changes nothing
          --json     one JSON object a line

        Ends with 0; with 1 if a key is not known, belongs to another app or was taken out of use
        otherwise before (an erased key can't be revoked, neither can be moved), and all others are
        done; 64 wrong usage; 69 not reachable or rows are locked: nothing is half done, try again;
        73 tables are missing; 77 the database role may not; 78 settings.

        \(SettingsCommand.help)
        """
    }

    private static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        guard let action = arguments.first.flatMap(KeysOptions.Action.init(rawValue:)) else {
            let actions = KeysOptions.Action.allCases.map(\.rawValue).joined(separator: ", ")
            console.complain(
                "attest-worker keys: the first word must be one of \(actions); see --help\n")
            return .usage
        }
        let options = KeysOptions(action, Array(arguments.dropFirst())) { path in
            do throws(SettingsReader.UnreadableFile) {
                return .success(
                    path == "-" ? try console.readInput() : try console.readFile(path))
            } catch {
                return .failure(error)
            }
        }
        guard options.problems.isEmpty else {
            let problems = options.problems.map { "attest-worker keys \(action): \($0)\n" }
            console.complain(problems.joined())
            return .usage
        }
        switch SettingsCommand.read(options.settings, console, required: []) {
        case .failure(let invalid): return invalid.exitCode
        case .success(let reading):
            let register = PostgresKeyRegister(
                PostgresSettings(
                    reading.settings, owner: SettingsCommand.workerID(console)))
            defer { register.close() }
            return run(options, register, console)
        }
    }

    private static func run(
        _ options: KeysOptions, _ register: some KeyRegister, _ console: Console
    ) -> ExitCode {
        do {
            return switch options.action {
            case .show: try show(options, register, console)
            case .list: try list(options, register, console)
            case .revoke:
                try change(.revoke(reason: options.reason), options, register, console)
            case .move:
                try change(
                    .move(to: options.subject, reason: options.reason), options, register, console)
            case .erase: try change(.erase, options, register, console)
            }
        } catch let fault as Fault {
            console.complain("attest-worker keys \(options.action): \(fault)\n")
            return fault.exitCode
        } catch {
            console.complain("attest-worker keys \(options.action): can't be written: \(error)\n")
            return .software
        }
    }

    // MARK: - Actions

    private static func show(
        _ options: KeysOptions, _ register: some KeyRegister, _ console: Console
    ) throws -> ExitCode {
        let found = try register.records(of: Set(options.keyIDs))
        var blocks: [String] = []
        var isComplete = true
        for keyID in options.keyIDs {
            guard let record = found[keyID], record.key.appID == options.appID else {
                isComplete = false
                let outcome: KeyChangeOutcome = found[keyID] == nil ? .unknown : .ofOtherApp
                blocks.append(try line(KeyOutcomeReport(keyID, outcome, isDryRun: false), options))
                continue
            }
            let report = KeyReport(record)
            blocks.append(options.isJSON ? try report.jsonLine() : report.text)
        }
        let answered = console.answer(blocks.joined(separator: options.isJSON ? "" : "\n"))
        return answered == .success && !isComplete ? .negative : answered
    }

    private static func list(
        _ options: KeysOptions, _ register: some KeyRegister, _ console: Console
    ) throws -> ExitCode {
        let page = try register.list(
            options.filter, after: options.after, limit: options.limit)
        let reports = page.map(KeyReport.init)
        if page.count == options.limit, let last = reports.last {
            console.complain("there may be more: --after=\(last.keyId)\n")
        }
        guard !options.isJSON else {
            return console.answer(try reports.map { try $0.jsonLine() }.joined())
        }
        var table = TextTable([
            ("key", .left), ("status", .left), ("sign count", .right), ("registered", .left),
            ("environment", .left), ("app", .left), ("subject", .left),
        ])
        for report in reports {
            table.add([
                report.keyId, report.status, "\(report.signCount)", report.registeredAt,
                report.environment, printable(report.appId), printable(report.subject ?? ""),
            ])
        }
        return console.answer(table.lines.map { $0 + "\n" }.joined())
    }

    private static func change(
        _ change: KeyChange, _ options: KeysOptions, _ register: some KeyRegister,
        _ console: Console
    ) throws -> ExitCode {
        let outcomes = try register.apply(
            change, to: Set(options.keyIDs), appID: options.appID ?? "",
            isDryRun: options.isDryRun)
        // Told before the search, which may take long and may fail: this much is done.
        let lines = try options.keyIDs.map { keyID in
            try line(
                KeyOutcomeReport(
                    keyID, outcomes[keyID] ?? .unknown, isDryRun: options.isDryRun), options)
        }
        guard console.answer(lines.joined()) == .success else { return .software }
        if case .erase = change {
            // Tombstones of before too: their search may have been interrupted. In a dry run the
            // keys are none yet, but will be.
            let erased = outcomes.filter { outcome in
                [.changed(.erased), .unchanged(.erased)].contains(outcome.value)
            }
            try eraseVerdicts(of: Set(erased.keys), options, register, console)
        }
        return outcomes.values.allSatisfy { isDone($0, of: change) } ? .success : .negative
    }

    /// Whether a key is now as the change wants it, by this change or by an earlier one.
    private static func isDone(_ outcome: KeyChangeOutcome, of change: KeyChange) -> Bool {
        switch (outcome, change) {
        case (.unknown, _), (.ofOtherApp, _): false
        // What is out of use belongs to nobody any more, and what is erased is not revoked.
        case (.unchanged, .move), (.unchanged(.erased), .revoke): false
        default: true
        }
    }

    private static func eraseVerdicts(
        of keyIDs: Set<KeyID>, _ options: KeysOptions, _ register: some KeyRegister,
        _ console: Console
    ) throws {
        guard !keyIDs.isEmpty else { return }
        let interval: Int64 = 10_000_000
        var due = console.clock() + interval
        let count: Int
        do {
            count = try register.eraseVerdicts(of: keyIDs, isDryRun: options.isDryRun) { share in
                guard console.clock() >= due else { return }
                due += interval
                console.complain("\(Int(share * 100)) % of the inbox is searched\n")
            }
        } catch {
            console.complain(
                "the keys are erased, the inbox is not searched to its end: do it again\n")
            throw error
        }
        let verb = options.isDryRun ? "would be replaced" : "are replaced"
        console.complain("\(count) verdicts in the inbox \(verb) by key_erased\n")
    }

    private static func line(
        _ report: KeyOutcomeReport, _ options: KeysOptions
    ) throws -> String {
        options.isJSON ? try report.jsonLine() : report.text
    }
}
