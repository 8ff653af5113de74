import AppAttest
import Wire
import Worker

/// The command line of `keys`.
struct KeysOptions {
    /// What is to be done.
    enum Action: String, CaseIterable {
        case show
        case list
        case revoke
        case move
        case erase

        /// Flags with a value.
        var valued: Set<String> {
            switch self {
            case .show: ["--app-id", "--keys"]
            case .list:
                [
                    "--app-id", "--environment", "--status", "--subject", "--since", "--limit",
                    "--after",
                ]
            case .revoke: ["--app-id", "--reason", "--keys"]
            case .move: ["--app-id", "--to", "--reason", "--keys"]
            case .erase: ["--app-id", "--keys"]
            }
        }

        /// Flags without one.
        var switches: Set<String> {
            switch self {
            case .show, .list: ["--json"]
            case .revoke, .move, .erase: ["--json", "--dry-run"]
            }
        }
    }

    /// How many keys a page of `list` holds at the most.
    static let pageMax = 10_000
    /// How many keys one command takes: all of them in one transaction.
    static let keysMax = 1000

    let action: Action
    private(set) var flags: CommandFlags
    /// The keys that were named, each once, in the order given.
    private(set) var keyIDs: [KeyID] = []
    /// What stands where keys do, and is none.
    private var misnamed: [String] = []
    /// The app they belong to.
    private(set) var appID: String?
    /// Which keys to list.
    private(set) var filter = KeyFilter()
    /// The last key of the page before.
    private(set) var after: KeyID?
    /// How many keys to list.
    private(set) var limit = 100
    /// Why they are revoked or moved.
    private(set) var reason = ""
    /// Whom they are given to.
    private(set) var subject = ""
    /// What is left, for the reader of settings.
    private(set) var settings: [String] = []

    /// Whether to answer in JSON.
    var isJSON: Bool { flags.switches.contains("--json") }
    /// Whether to change nothing.
    var isDryRun: Bool { flags.switches.contains("--dry-run") }
    /// What is wrong.
    var problems: [String] { flags.problems }

    /// Reads a command line.
    ///
    /// - Parameters:
    ///   - action: what is to be done.
    ///   - arguments: what stands behind its name.
    ///   - readFile: gives the text of a file, or of standard input where the path is `-`; nil and
    ///     a message where it can't be read.
    init(
        _ action: Action, _ arguments: [String],
        readFile: (String) -> Result<[UInt8], SettingsReader.UnreadableFile>
    ) {
        self.action = action
        flags = CommandFlags(arguments, valued: action.valued, switches: action.switches)
        appID = flags.values["--app-id"]
        if action == .list { takeFilter() } else { takeKeys(readFile) }
        settings = flags.rest.filter { KeyID(text: $0) == nil && !misnamed.contains($0) }
        switch action {
        case .revoke: reason = text("--reason", bytesMax: KeyChange.reasonBytesMax)
        case .move:
            reason = text("--reason", bytesMax: KeyChange.reasonBytesMax)
            subject = text("--to", bytesMax: Request.textBytesMax)
        case .show, .list, .erase: break
        }
    }

    private mutating func takeFilter() {
        filter.appID = appID
        filter.subject = flags.values["--subject"]
        filter.environment = flags.value(
            "--environment", mustBe: "production or development",
            AttestationEnvironment.init(rawValue:))
        filter.status = flags.value(
            "--status", mustBe: "active, revoked or erased", KeyStatus.init(rawValue:))
        filter.since = flags.value(
            "--since", mustBe: "a time such as 2026-01-31T12:00:00Z", Instant.init(rfc3339:))
        after = flags.value("--after", mustBe: "a key id, as the page before ends with") {
            KeyID(text: $0)
        }
        limit = flags.number("--limit", in: 1...Self.pageMax) ?? limit
    }

    private mutating func takeKeys(
        _ readFile: (String) -> Result<[UInt8], SettingsReader.UnreadableFile>
    ) {
        var named = flags.rest.compactMap(KeyID.init(text:))
        noteMisnamed()
        if let path = flags.values["--keys"] {
            switch readFile(path) {
            case .failure(let error):
                flags.note("--keys: \(path) \(error.message)")
            case .success(let bytes):
                let lines = String(decoding: bytes, as: UTF8.self)
                    .split(whereSeparator: \.isWhitespace)
                for (number, line) in lines.enumerated() {
                    guard let keyID = KeyID(text: String(line)) else {
                        return flags.note("--keys: word \(number + 1) of \(path) is no key id")
                    }
                    named.append(keyID)
                }
            }
        }
        var seen: Set<KeyID> = []
        keyIDs = named.filter { seen.insert($0).inserted }
        if keyIDs.isEmpty, problems.isEmpty {
            flags.note("name at least one key by its id: base64 or base64url of 32 bytes")
        }
        if keyIDs.count > Self.keysMax {
            flags.note("\(keyIDs.count) keys are too many: at most \(Self.keysMax) at a time")
        }
        if appID == nil { flags.note("--app-id must be given: the app the keys belong to") }
    }

    /// Tells of each word that is neither a key id nor a flag, nor a flag's value.
    private mutating func noteMisnamed() {
        var isValue = false
        for word in flags.rest {
            let isFlag = word.hasPrefix("--")
            if !isFlag, !isValue, KeyID(text: word) == nil {
                misnamed.append(word)
                flags.note(
                    "\(printable(word)) is no key id: that is base64 or base64url of 32 bytes, such"
                        + " as bSrEhF8TIzIvWSPwvZ0i2+UOBre4ASH84rK15m6emNY=")
            }
            isValue = isFlag && !word.contains("=")
        }
    }

    /// A text that must be given; empty, with a note, if it is not.
    private mutating func text(_ flag: String, bytesMax: Int) -> String {
        guard let text = flags.values[flag], (1...bytesMax).contains(text.utf8.count),
            text.unicodeScalars.allSatisfy({
                $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
            })
        else {
            flags.note("\(flag) must be given: 1 to \(bytesMax) bytes, on one line")
            return ""
        }
        return text
    }
}
