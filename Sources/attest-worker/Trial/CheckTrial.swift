import AppAttest
import FoundationEssentials
import PostgresStore
import Wire
import Worker

/// `attest-worker check --policy`: what another policy would have made of the last requests.
enum CheckTrial {
    /// How many requests are looked at together.
    static let pageMax = 1000
    /// The most requests that are looked at.
    static let requestsMax = 1_000_000
    /// How many request ids are told of each change.
    static let examplesMax = 3

    /// What is printed: one JSON object, or lines.
    struct Report: Encodable, Equatable {
        /// Requests of one kind of change.
        struct Change: Encodable, Equatable {
            var requests = 0
            /// Ids of some of them, for `attest-worker explain`.
            var examples: [String] = []
        }

        /// How many requests were looked at.
        var requests = 0
        /// Those whose verdict would be the same.
        var same = 0
        /// Those of which too little is kept.
        var unknown = 0
        /// Accepted then, refused now, by reason.
        var wouldBeRefused: [String: Change] = [:]
        /// Accepted then and now, told by rules that only report, by reason.
        var wouldBeReported: [String: Change] = [:]
        /// Accepted then and now, by rules that reported them then and no longer do.
        var noLongerReported: [String: Change] = [:]
        /// Refused then for this reason, not now.
        var mayBeAccepted: [String: Change] = [:]

        /// What of the policy was not judged again, or not by what was then.
        var notJudged: [String] = []

        /// Whether any verdict would be another one.
        var changesVerdicts: Bool { !wouldBeRefused.isEmpty || !mayBeAccepted.isEmpty }

        /// Counts one request.
        mutating func add(_ outcome: PolicyTrial.Outcome, _ requestID: String?) {
            requests += 1
            switch outcome {
            case .same: same += 1
            case .unknown: unknown += 1
            case .wouldBeRefused(let reason):
                Self.add(requestID, to: &wouldBeRefused[reason, default: Change()])
            case .wouldBeReported(let reasons):
                for reason in reasons {
                    Self.add(requestID, to: &wouldBeReported[reason, default: Change()])
                }
            case .noLongerReported(let reasons):
                for reason in reasons {
                    Self.add(requestID, to: &noLongerReported[reason, default: Change()])
                }
            case .mayBeAccepted(let reason):
                Self.add(requestID, to: &mayBeAccepted[reason, default: Change()])
            }
        }

        private static func add(_ requestID: String?, to change: inout Change) {
            change.requests += 1
            if let requestID, change.examples.count < CheckTrial.examplesMax {
                change.examples.append(requestID)
            }
        }

        /// Lines for a person.
        var lines: [String] {
            var lines = ["\(requests) requests were judged again: \(same) as before"]
            for (title, changes) in [
                ("would be refused", wouldBeRefused), ("would be reported", wouldBeReported),
                ("would no longer be reported", noLongerReported),
                ("were refused and may be accepted", mayBeAccepted),
            ] {
                for (reason, change) in changes.sorted(by: { $0.key < $1.key }) {
                    let examples = change.examples.map(printable).joined(separator: ", ")
                    lines.append(
                        "\(change.requests) \(title): \(reason)"
                            + (examples.isEmpty ? "" : ", such as \(examples)"))
                }
            }
            if unknown > 0 { lines.append("\(unknown) can't be told: too little is kept of them") }
            if !notJudged.isEmpty {
                lines.append("not judged again, or not by what was then (docs/audit.md):")
                lines += notJudged.map { "  " + $0 }
            }
            return lines
        }
    }

    /// Reads the policy and what was decided, and judges.
    ///
    /// - Parameters:
    ///   - path: the settings to try.
    ///   - count: how many of the last requests.
    ///   - tool: the settings of the database, and where to print.
    /// - Returns: 0 if no verdict would change, 1 if any would, 78 if the policy can't be used.
    /// - Throws: when the server could not be had.
    static func run(_ path: String, last count: Int, _ tool: Tool) throws(Fault) -> ExitCode {
        // The file alone: what the environment sets for this process is no part of it.
        var console = tool.console
        console.environment = [:]
        let tried: Settings
        switch SettingsCommand.read(["--config=\(path)"], console, required: ["apps"]) {
        case .failure(let invalid): return invalid.exitCode
        case .success(let reading): tried = reading.settings
        }
        var policy = Policy(tried)
        if let path = tried.revocations.path {
            do throws(RevocationFile.Refused) {
                policy.revocations = try RevocationFile(path: path).read().list
            } catch {
                console.complain("attest-worker check: \(error)\n")
                return .config
            }
        }
        let now = Instant(milliseconds: console.clock() / 1000)
        let trial = PolicyTrial(policy, now: now)
        let store = tool.store()
        defer { store.close() }
        let register = PostgresKeyRegister(
            PostgresSettings(tool.settings, owner: SettingsCommand.workerID(console)))
        defer { register.close() }
        var report = Report(notJudged: TrialLimits.told(policy))
        let verdicts = try store.latestVerdicts(count)
        for start in stride(from: 0, to: verdicts.count, by: pageMax) {
            let page = verdicts[start..<min(start + pageMax, verdicts.count)].map { verdict in
                (verdict, names: VerdictNames(verdict))
            }
            let keys = try register.records(of: Set(page.compactMap(\.names.keyID)))
            let owned = try store.registrations(
                of: trial.ownersToCount(keys.values.map(\.key)))
            for (verdict, names) in page {
                let record = names.keyID.flatMap { keys[$0] }
                let owner = record?.key.subject.map {
                    KeyOwner(appID: record?.key.appID ?? "", subject: $0)
                }
                report.add(
                    trial.judge(
                        PolicyTrial.Case(
                            verdict: verdict, keyID: names.keyID, key: record?.key,
                            registeredAt: record?.registeredAt,
                            owned: owner.flatMap { owned[$0] } ?? [])), names.requestID)
            }
        }
        let printed = tool.isJSON ? tool.print(report) : tool.print(report.lines)
        return printed == .success && report.changesVerdicts ? .negative : printed
    }
}

/// What a kept verdict names.
private struct VerdictNames {
    var keyID: KeyID?
    var requestID: String?

    private struct Names: Decodable {
        var keyId: String?
        var requestId: String?
    }

    init(_ verdict: [UInt8]) {
        let names = try? JSONDecoder().decode(Names.self, from: Data(verdict))
        keyID = names?.keyId.flatMap(KeyID.init(text:))
        requestID = names?.requestId
    }
}
