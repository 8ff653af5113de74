import AppAttest
import AttestTestKit
import Testing
import Wire
import Worker

/// The policies of an app on minted objects: enforced, only reporting, and left alone.
@Suite struct AppRulesTests {
    /// A policy that an object breaks or keeps.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var shape = DeviceShape.iOS27
        var category: UInt32 = 4
        var bundleVersion = "1314"
        /// The reason; nil where the object keeps the policy.
        var reason: String?
        /// Whether assertions tell what the policy is about.
        var isForAssertions = true
        var mode: any WritableKeyPath<AppRules, Enforcement> & Sendable
        var set: @Sendable (inout AppRules) -> Void

        var testDescription: String { "\(name), \(shape)" }

        func rules(_ mode: Enforcement) -> AppRules {
            var rules = AppRules()
            set(&rules)
            rules[keyPath: self.mode] = mode
            return rules
        }

        var device: SimulatedDevice {
            var device = SimulatedDevice(
                seed: 90, appID: Scenario.appID, shape: shape, authority: Scenario.authority)
            device.validationCategory = category
            device.bundleVersion = bundleVersion
            return device
        }
    }

    private static let categories: [Case] = [
        ("appStore", DeviceShape.iOS27, 4, Presence.required, nil),
        ("appStore", .iOS27, 3, .required, "validation_category_not_allowed"),
        ("appStore", .iOS27, 3, .ifPresent, "validation_category_not_allowed"),
        ("appStore", .iOS27, 3, .ignored, nil),
        // Without flag ED the map may be made by code inside the app.
        ("appStore", .iOS27Beta, 4, .required, "validation_category_missing"),
        ("appStore", .iOS27Beta, 4, .ifPresent, nil),
        ("appStore", .iOS27Beta, 3, .ifPresent, "validation_category_not_allowed"),
        ("appStore", .iOS27WithOlderSDK, 4, .required, "validation_category_missing"),
        ("appStore", .iOS14, 4, .ifPresent, nil),
        ("unknown", .iOS27, 4, .required, "validation_category_not_allowed"),
        ("unknown", .iOS27, 7, .required, nil),
        ("unknown", .iOS27, .max, .required, nil),
        ("unknown", .iOS27, 0, .required, "validation_category_not_allowed"),
        ("11", .iOS27, 11, .required, nil),
        ("11", .iOS27, 12, .required, "validation_category_not_allowed"),
    ].map { allowed, shape, category, presence, reason in
        Case(
            name: "\(allowed) \(presence) of \(category)", shape: shape, category: category,
            reason: reason, mode: \.validationCategories.mode
        ) { rules in
            rules.validationCategories.allow = [allowed].compactMap(ValidationCategory.init)
            rules.validationCategories.presence = presence
        }
    }

    private static let bundleVersions: [Case] = [
        ("7.10", "7.10", Presence.required, nil), ("7.10", "7.9", .required, "not_allowed"),
        ("7.10", "7.10.0", .required, nil), ("7.10", "8", .ifPresent, nil),
        ("7.10", "24A325b", .ifPresent, "not_allowed"), ("7.10", "7.9", .ignored, nil),
        ("7.10", "", .required, "not_allowed"),
    ].map { minimum, version, presence, reason in
        Case(
            name: "\(version) \(presence), at least \(minimum)", bundleVersion: version,
            reason: reason.map { "bundle_version_\($0)" }, mode: \.bundleVersions.mode
        ) { rules in
            rules.bundleVersions.minimum = BundleVersion(minimum)
            rules.bundleVersions.presence = presence
        }
    }

    private static let macHash: String = {
        let device = SimulatedDevice(
            seed: 90, appID: Scenario.appID, shape: .macOS27, authority: Scenario.authority)
        return device.codeDirectoryHash.reduce(into: "sha256:") { text, byte in
            text += (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
        }
    }()

    private static let others: [Case] = [
        Case(
            name: "a build of the list", reason: nil, mode: \.bundleVersions.mode
        ) { $0.bundleVersions.allow = ["1313", "1314"] },
        Case(
            name: "no build of the list", reason: "bundle_version_not_allowed",
            mode: \.bundleVersions.mode
        ) { $0.bundleVersions.allow = ["1313", "01314"] },
        Case(
            name: "no bundle version on a Mac", shape: .macOS27, reason: "bundle_version_missing",
            mode: \.bundleVersions.mode
        ) { $0.bundleVersions.presence = .required },
        Case(
            name: "another code directory hash", shape: .macOS27, reason: "cd_hash_not_allowed",
            mode: \.cdHashes.mode
        ) {
            $0.cdHashes.allow = [
                "sha256:" + String(repeating: "ab", count: 32)
            ].compactMap(CodeDirectoryHash.init)
        },
        Case(
            name: "the code directory hash", shape: .macOS27, reason: nil, mode: \.cdHashes.mode
        ) { $0.cdHashes.allow = [CodeDirectoryHash(macHash)].compactMap { $0 } },
        Case(
            name: "the code directory hash with another digest", shape: .macOS27,
            reason: "cd_hash_not_allowed", mode: \.cdHashes.mode
        ) {
            let other = macHash.replacing("sha256:", with: "sha512:")
            $0.cdHashes.allow = [CodeDirectoryHash(other)].compactMap { $0 }
        },
        Case(
            name: "no code directory hash that is announced", shape: .macOS27,
            reason: "cd_hash_missing", mode: \.cdHashes.mode
        ) { $0.cdHashes.presence = .required },
        Case(
            name: "no code directory hash", reason: "cd_hash_missing", mode: \.cdHashes.mode
        ) { $0.cdHashes.presence = .required },
        Case(
            name: "a Mac, for an app on iPhones", shape: .macOS27, reason: "platform_not_allowed",
            isForAssertions: false, mode: \.platforms.mode
        ) { $0.platforms.allow = [.iOS] },
        Case(
            name: "an iPhone, for an app on Macs", reason: "platform_not_allowed",
            isForAssertions: false, mode: \.platforms.mode
        ) { $0.platforms.allow = [.macOS] },
        Case(
            name: "a Mac, for an app on Macs", shape: .macOS27, reason: nil,
            isForAssertions: false, mode: \.platforms.mode
        ) { $0.platforms.allow = [.macOS] },
    ]

    static let cases = categories + bundleVersions + others

    private func verdicts(_ test: Case, _ mode: Enforcement) throws -> [ReceivedVerdict] {
        var device = test.device
        let decision = PureDecision(
            rules: test.rules(mode), keys: [device.keyID: StoredKey(of: device)])
        var registration = Scenario()
        registration.register(device, partition: 0)
        var assertion = Scenario()
        assertion.assert(&device, partition: 0)
        return try [registration, assertion].prefix(test.isForAssertions ? 2 : 1).map {
            try decision.verdict($0)
        }
    }

    @Test(arguments: cases)
    func `a policy refuses what breaks it, with its own reason`(test: Case) throws {
        for verdict in try verdicts(test, .enforce) {
            #expect(verdict.reason == test.reason)
            #expect(verdict.outcome == (test.reason == nil ? "accepted" : "rejected"))
            #expect(verdict.wouldReject == nil)
        }
    }

    @Test(arguments: cases)
    func `a policy that only reports accepts the same, and tells the reason`(test: Case) throws {
        for verdict in try verdicts(test, .report) {
            #expect(verdict.outcome == "accepted")
            #expect(verdict.wouldReject == test.reason.map { [$0] })
        }
    }

    @Test func `what several policies would refuse is told of each, in their order`() throws {
        var rules = AppRules()
        rules.validationCategories.allow = [.number(2)]
        rules.validationCategories.mode = .report
        rules.bundleVersions.minimum = BundleVersion("2000")
        rules.bundleVersions.mode = .report
        var scenario = Scenario()
        scenario.register(Scenario.device(91), partition: 0)
        let verdict = try PureDecision(rules: rules).verdict(scenario)
        #expect(
            verdict.wouldReject == [
                "validation_category_not_allowed", "bundle_version_not_allowed",
            ]
        )
        rules.bundleVersions.mode = .enforce
        let refused = try PureDecision(rules: rules).verdict(scenario)
        #expect(refused.reason == "bundle_version_not_allowed")
        #expect(refused.wouldReject == nil, "it is refused anyway")
    }

    @Test func `a refused registration stores no key, and a refused assertion no count`() throws {
        var rules = AppRules()
        rules.validationCategories.allow = [.number(2)]
        var device = Scenario.device(92)
        var scenario = Scenario()
        scenario.register(device, partition: 0)
        #expect(try PureDecision(rules: rules).run(scenario).writes.registrations.isEmpty)
        var second = Scenario()
        second.assert(&device, partition: 0)
        let keys = [device.keyID: StoredKey(of: device)]
        #expect(try PureDecision(rules: rules, keys: keys).run(second).writes.uses.isEmpty)
    }

    @Test(arguments: [DeviceShape.iOS14, .iOS27, .iOS27Beta, .macOS27])
    func `verdicts tell what is signed, and whether it is announced`(shape: DeviceShape) throws {
        var device = SimulatedDevice(
            seed: 93, appID: Scenario.appID, shape: shape, authority: Scenario.authority)
        var scenario = Scenario()
        scenario.register(device, partition: 0)
        scenario.assert(&device, partition: 0)
        for verdict in try PureDecision().run(scenario).verdicts {
            let isSigned = shape != .iOS14
            #expect(verdict.validationCategory == (isSigned ? device.validationCategory : nil))
            #expect(verdict.bundleVersion == (isSigned && !shape.isMac ? "1314" : nil))
            #expect(verdict.extensionsAnnounced == (isSigned ? shape == .iOS27 : nil))
            let hash = verdict.cdHash.flatMap(CodeDirectoryHash.init)
            #expect(hash?.bytes == (shape.isMac ? device.codeDirectoryHash : nil))
            #expect(hash?.type == (shape.isMac ? 2 : nil))
        }
    }
}
