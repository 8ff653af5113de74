internal import AppAttest
internal import Wire

extension SettingsTable {
    /// The list of apps.
    static let apps = Setting<Settings>(
        key: "apps", rule: "a list of apps (below), each `appId` once",
        summary: "The apps whose attestations and assertions are judged. As a variable or flag, a"
            + " list in JSON.",
        isSecret: false, takesFile: false, isMap: false
    ) { settings, value, context in
        SettingsReader.storeApps(value, in: &settings, context: &context)
    } show: { settings in
        .list(settings.apps.map(shown))
    }

    /// The settings of one element of `apps`.
    static let app: [Setting<Settings.App>] = identity + resources + policies + appTokens

    private static let identity: [Setting<Settings.App>] = [
        Setting(
            "appId", \.appID, .appID,
            "The app: its prefix, a dot, its bundle identifier. The prefix is the team id, save for"
                + " apps older than 2011, which have one of their own. An App Clip attests with the"
                + " id of its full app."),
        Setting(
            "moreAppIds", \.moreAppIDs,
            .list("a list of app ids, each once", of: SettingsReader.isAppID),
            "Further apps that share all settings of this one, such as its beta. Each is an app of"
                + " its own all the same: a key stays with the one it was attested for."),
        Setting(
            "environments", \.environments, .choices(of: AttestationEnvironment.self),
            "Apple's environments whose keys are taken. Builds run from Xcode use `development`."
        ),
        Setting(
            "challenge", \.rules.challenge, .choice,
            "Who sees to it that challenges are fresh. `external`: the gateway, which mints and"
                + " remembers them. `signed`: the workers take only challenges that were minted"
                + " with `challenges.secret`, each once."),
        Setting(
            "receipt", \.rules.receipt, .choice,
            "What becomes of the receipt inside an attestation. `ifValid`: it is judged, the"
                + " verdict tells `receipt` and `receiptReason`, and nothing is refused for it."
                + " `required`:"
                + " an attestation without a valid one is refused. `ignored`: it is kept unread."),
        Setting(
            "receiptMaxAge", \.rules.receiptMaxAge,
            .duration(in: .seconds(1)...(.seconds(3650 * 86_400))),
            "How long before the record of its request a receipt may have been created. Apple says"
                + " five minutes."),
        Setting(
            "riskMetric.max", \.rules.riskMetricMax, .optionalInteger(in: 0...1_000_000),
            "The highest risk metric that is taken: about how many keys the device made for the app"
                + " in 30 days, as Apple last told (1 to 3 is usual). Unset, any. A key of which"
                + " nothing is known passes."),
        Setting(
            "riskMetric.mode", \.rules.riskMetric, .choice,
            "Whether a higher one is refused as `risk_too_high`, or only told in `wouldReject`."),
        Setting(
            "trustAnchor", \.trustAnchor,
            .optionalText("a certificate in PEM", bytesMax: 65_536), takesFile: true,
            "A root to trust in place of Apple's, for an app that is `simulated`: whoever holds its"
                + " key can forge every attestation of this app."),
        Setting(
            "receiptTrustAnchor", \.receiptTrustAnchor,
            .optionalText("a certificate in PEM", bytesMax: 65_536), takesFile: true,
            "The root of receipts to trust in place of Apple's, for an app that is `simulated`."
                + " Without it the receipts of such an app are not judged."),
        Setting(
            "simulated", \.isSimulated, .flag,
            "Whether the devices of this app are simulated. Such an app has a `trustAnchor`, no"
                + " other app may have one, and verdicts that name the app say"
                + " `\"simulated\": true`. Keys that its root attested are unknown once the app is"
                + " no longer marked."),
    ]

    /// An app as it would be written: an object, with one inside for the keys of each policy.
    private static func shown(_ app: Settings.App) -> SettingValue {
        var members: [String: SettingValue] = [:]
        for setting in Self.app {
            let value = setting.show(app)
            guard !SettingsPage.isUnset(value) else { continue }
            let parts = setting.key.split(separator: ".", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                members[setting.key] = value
                continue
            }
            var inner: [String: SettingValue] = [:]
            if case .object(let object) = members[parts[0]] { inner = object }
            inner[parts[1]] = value
            members[parts[0]] = .object(inner)
        }
        return .object(members)
    }
}

extension SettingsReader {
    /// Whether a text is the id of an app: a team id, a dot and a bundle identifier.
    package static func isAppID(_ text: String) -> Bool {
        SettingType<String>.appID.parse(.text(text)) != nil
    }
}

extension SettingType<String> {
    /// `TEAMID.bundle.identifier`.
    static var appID: Self {
        Self(
            rule: "a team id, a dot and a bundle identifier, of letters, digits, '-', '_' and '.'"
        ) { value in
            guard case .text(let text) = value, isAppID(text) else { return nil }
            return text
        } show: {
            .text($0)
        }
    }
}

/// Apple's own rule for app ids, and the underscore, which Apple's sample has all the same
/// (`0352187391.com.apple.example_app_attest`).
///
/// In ASCII two texts are equal only if their bytes are: the relying party id is a hash over bytes,
/// and a Kelvin sign must not pass for a K.
private func isAppID(_ text: String) -> Bool {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
        && text.utf8.count <= Request.textBytesMax
        && text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."):
                true
            default:
                false
            }
        }
}
