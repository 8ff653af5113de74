import Foundation
import Testing

@testable import Worker

@Suite struct SettingsPageTests {
    @Test func `the reference page in docs is the one that the table makes`() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../docs/settings.md").standardizedFileURL
        #expect(try String(contentsOf: page, encoding: .utf8) == SettingsPage.reference())
    }

    @Test func `the settings in the README are settings`() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../README.md").standardizedFileURL
        let text = try String(contentsOf: page, encoding: .utf8)
        let example = try #require(text.firstMatch(of: /```json5\n((?:.|\n)*?)```/)).output.1
        let reading = try SettingsReader.read(
            arguments: ["--config=attest.json5"], environment: [:], switches: [], required: []
        ) { _ throws(SettingsReader.UnreadableFile) in Array(example.utf8) }
        #expect(reading.settings.apps.map(\.appID) == ["TEAM.com.example.app"])
    }

    @Test func `help and reference name every setting`() {
        let help = SettingsPage.help()
        let reference = SettingsPage.reference()
        for setting in SettingsTable.all {
            #expect(help.contains("--\(setting.key)=…"))
            #expect(reference.contains("### `\(setting.key)`"))
            #expect(reference.contains("`\(setting.variable)`"))
        }
        for setting in SettingsTable.app { #expect(reference.contains("### `\(setting.key)`")) }
    }

    @Test func `every line of the help fits a terminal`() {
        for line in SettingsPage.help().split(separator: "\n") { #expect(line.count <= 100) }
    }

    @Test func `keys, and the variables made of them, are unique`() {
        #expect(Set(SettingsTable.all.map(\.key)).count == SettingsTable.all.count)
        #expect(Set(SettingsTable.all.map(\.variable)).count == SettingsTable.all.count)
    }

    @Test func `every default keeps its own rule`() {
        for setting in SettingsTable.all {
            let standard = setting.show(Settings())
            guard !SettingsPage.isUnset(standard) else { continue }
            var settings = Settings()
            var context = SettingContext(key: setting.key, origin: .standard) {
                _ throws(SettingsReader.UnreadableFile) in []
            }
            setting.store(&settings, standard, &context)
            #expect(context.problems.isEmpty)
            #expect(settings == Settings())
        }
    }

    @Test(arguments: [
        ("0ms", 0), ("5ms", 5), ("1s", 1000), ("90s", 90_000), ("2m", 120_000), ("7d", 604_800_000),
    ])
    func `a duration is read and written in the largest fitting unit`(
        text: String, milliseconds: Int64
    ) {
        #expect(SettingUnits.durations.parse(text) == milliseconds)
        #expect(SettingUnits.durations.format(milliseconds) == text)
    }

    @Test(arguments: [
        "", "s", "5", "5 s", " 5s", "5s ", "-5s", "+5s", "5.5s", "5S", "٥s", "5ss",
        "9223372036854775807d",
    ])
    func `whatever else is no duration`(text: String) {
        #expect(SettingUnits.durations.parse(text) == nil)
    }

    @Test func `a suggestion is made only when a name is near`() {
        let names = ["kafka.groupId", "worker.lanes", "log.level"]
        #expect(closest(to: "kafka.groupID", among: names) == "kafka.groupId")
        #expect(closest(to: "lanes", among: names) == "worker.lanes")
        #expect(closest(to: "loglevel", among: names) == "log.level")
        #expect(closest(to: "colour", among: names) == nil)
        #expect(closest(to: String(repeating: "x", count: 100_000), among: names) == nil)
    }
}
