// The settings of one app that are policies: what genuine objects are held against.

extension SettingsTable {
    /// The policies, in the order of ``AppRules``.
    static let policies: [Setting<Settings.App>] =
        [reattestation] + keysPerSubject + validationCategories + bundleVersions + cdHashes
        + platforms
        + signCounts + freshness

    private static let reattestation = Setting<Settings.App>(
        "reattestation", \.rules.reattestation, .choice,
        "Whether a second attestation of a known key refreshes its receipt and metadata, or is"
            + " refused. `report` accepts it and tells. The sign count stays in any case.")

    private static let keysPerSubject: [Setting<Settings.App>] = [
        Setting(
            "keysPerSubject.max", \.rules.keysPerSubject.keysMax,
            .integer(in: 0...KeysPerSubject.keysMaxMax),
            "How many keys one `subject` may register within the time; one more is"
                + " `too_many_keys`. A key that is attested again does not count again. 0 is no"
                + " limit."),
        Setting(
            "keysPerSubject.within", \.rules.keysPerSubject.within,
            .duration(in: .seconds(60)...(.seconds(3650 * 86_400))),
            "The time before a registration in which the subject's keys are counted."),
        Setting(
            "keysPerSubject.mode", \.rules.keysPerSubject.enforcement, .choice,
            "Whether one more key is refused, or accepted and told."),
    ]

    /// What `…presence` means; the same for all values that OS 27 signs.
    private static let presence =
        " `required`: it must be there, announced by flag ED, as the device alone can set that."
        + " `ifPresent`: objects without it pass, as those of older systems and SDKs are."
        + " `ignored`: it is not looked at."

    /// What `….mode` means.
    private static func mode(_ what: String) -> String {
        "Whether what breaks the policy on \(what) is refused (`enforce`), or is accepted, named in"
            + " the verdict's `wouldReject` and counted (`report`)."
    }

    private static let validationCategories: [Setting<Settings.App>] = [
        Setting(
            "validationCategories.allow", \.rules.validationCategories.allow,
            .validationCategories,
            "How the app's code may be signed and distributed, as OS 27 signs it in attestations"
                + " and assertions. With none, all are taken. An app in the store has `appStore`,"
                + " its beta `testFlight`, a build run from Xcode `development`."),
        Setting(
            "validationCategories.presence", \.rules.validationCategories.presence, .choice,
            "Whether a validation category must be there." + presence),
        Setting(
            "validationCategories.mode", \.rules.validationCategories.mode, .choice,
            mode("validation categories")),
    ]

    private static let bundleVersions: [Setting<Settings.App>] = [
        Setting(
            "bundleVersions.allow", \.rules.bundleVersions.allow,
            .list("a list of build numbers, each once") {
                !$0.isEmpty && $0.utf8.count <= Self.bundleVersionBytesMax
            },
            "The values of CFBundleVersion that are taken, compared byte for byte. With none, all"
                + " are."),
        Setting(
            "bundleVersions.minimum", \.rules.bundleVersions.minimum, .optional(.bundleVersion),
            "The least CFBundleVersion that is taken, compared number by number: `7.9` comes before"
                + " `7.10`. One that is not made of numbers is below every minimum."),
        Setting(
            "bundleVersions.presence", \.rules.bundleVersions.presence, .choice,
            "Whether a bundle version must be there. macOS 27 was seen to sign none." + presence),
        Setting(
            "bundleVersions.mode", \.rules.bundleVersions.mode, .choice, mode("bundle versions")),
    ]

    private static let cdHashes: [Setting<Settings.App>] = [
        Setting(
            "cdHashes.allow", \.rules.cdHashes.allow, .codeDirectoryHashes,
            "The code directory hashes that are taken, each with its digest:"
                + " `sha256:` and hexadecimal digits. With none, all are. Only apps that opt in"
                + " sign one."),
        Setting(
            "cdHashes.presence", \.rules.cdHashes.presence, .choice,
            "Whether a code directory hash must be there." + presence),
        Setting("cdHashes.mode", \.rules.cdHashes.mode, .choice, mode("code directory hashes")),
    ]

    private static let platforms: [Setting<Settings.App>] = [
        Setting(
            "platforms.allow", \.rules.platforms.allow, .choices(of: Platform.self),
            "The systems on which the app exists: keys of another one are not registered. A key"
                + " from a Mac must in any case carry Apple's access control for macOS."),
        Setting("platforms.mode", \.rules.platforms.mode, .choice, mode("platforms")),
    ]

    private static let signCounts: [Setting<Settings.App>] = [
        Setting(
            "replayWindow", \.rules.replayWindow, .integer(in: 0...SeenCounts.capacity),
            "How far below the highest sign count of a key one is still accepted that was not"
                + " accepted before. With 0, Apple's rule, of two requests that overtake each other"
                + " the honest second one is refused. What is below the window, or was accepted"
                + " before, is `counter_replayed`. In a fleet that runs it begins with counts that"
                + " are higher than a key's present one."),
        Setting(
            "counterJump.max", \.rules.counterJump.max, .optional(.integer(in: 1...4_294_967_295)),
            "How far above the highest sign count the next one may be. A greater distance is"
                + " `counter_jump`."),
        Setting(
            "counterJump.mode", \.rules.counterJump.mode, .choice,
            mode("the distance of sign counts")
                + " A device that has jumped does not come back, so to refuse locks its key out."),
    ]

    private static let freshness: [Setting<Settings.App>] = [
        Setting(
            "requestTime.maxAge", \.rules.requestTime.maxAge,
            .optional(.duration(in: .seconds(1)...(.seconds(36_500 * 86_400)))),
            "How old a request of this app may be, where that is less than"
                + " `worker.maxRequestAge`."),
        Setting(
            "requestTime.maxSkew", \.rules.requestTime.maxSkew,
            .optional(.duration(in: .milliseconds(0)...(.seconds(86_400)))),
            "How far ahead of the clock a request of this app may be, where that is less than"
                + " `worker.maxClockSkew`."),
        Setting(
            "requestTime.mode", \.rules.requestTime.mode, .choice, mode("a request's time")),
        Setting(
            "attestationAge.maxDays", \.rules.attestationAge.maxDays,
            .optional(.integer(in: 1...36_500)),
            "How many days after its last attestation a key is taken. Then its assertions are"
                + " `attestation_too_old`, with the action `reattest`: the app attests its key"
                + " again, or a new one."),
        Setting(
            "attestationAge.mode", \.rules.attestationAge.mode, .choice,
            mode("the age of attestations")),
        Setting(
            "idleTime.maxDays", \.rules.idleTime.maxDays, .optional(.integer(in: 1...36_500)),
            "How many days a key may go without an accepted request. Then its assertions are"
                + " `key_idle`, with the action `reattest`."),
        Setting("idleTime.mode", \.rules.idleTime.mode, .choice, mode("idle keys")),
    ]

    private static let bundleVersionBytesMax = 256
}

extension SettingType {
    /// A list of texts that are read into values; as text, separated by commas.
    fileprivate static func list<Element: Hashable & Sendable>(
        _ rule: String, read: @escaping @Sendable (String) -> Element?,
        write: @escaping @Sendable (Element) -> String
    ) -> Self where Value == [Element] {
        let texts = SettingType<[String]>.list(rule) { read($0) != nil }
        return Self(rule: rule) { value in
            guard let elements = texts.parse(value)?.compactMap(read),
                Set(elements).count == elements.count
            else { return nil }
            return elements
        } show: { elements in
            .list(elements.map { .text(write($0)) })
        }
    }
}

extension SettingType<BundleVersion> {
    /// Numbers with full stops between.
    fileprivate static var bundleVersion: Self {
        Self(rule: "numbers with full stops between, such as \"7.10\", in quotes") { value in
            guard case .text(let text) = value, text.utf8.count <= 256 else { return nil }
            return BundleVersion(text)
        } show: {
            .text($0.text)
        }
    }
}

extension SettingType<[ValidationCategory]> {
    /// Names and numbers.
    fileprivate static var validationCategories: Self {
        let names = ValidationCategory.names.map(\.name).joined(separator: ", ")
        return list(
            "a list of \(names), \"unknown\" for all numbers without a name, or numbers from 1 on"
                + " in quotes, each once"
        ) {
            ValidationCategory($0)
        } write: {
            $0.text
        }
    }
}

extension SettingType<[CodeDirectoryHash]> {
    /// Digests with their kinds.
    fileprivate static var codeDirectoryHashes: Self {
        list(
            "a list of hashes, each once: sha1, sha256, sha256-truncated, sha384, sha512 or a"
                + " number, a colon, and 40 to 128 hexadecimal digits"
        ) {
            CodeDirectoryHash($0)
        } write: {
            $0.text
        }
    }
}
