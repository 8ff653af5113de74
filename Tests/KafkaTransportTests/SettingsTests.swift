import Testing
import Worker

@testable import KafkaTransport

struct SettingsTests {
    private let valid = KafkaSettings(
        bootstrapServers: "one:9092, two:9093", groupID: "group", requestTopics: ["requests.v1"])

    @Test func `valid settings have no problem`() {
        #expect(valid.problems().isEmpty)
    }

    @Test func `all problems are told at once`() {
        var settings = valid
        settings.bootstrapServers = "one"
        settings.groupID = ""
        settings.clientID = "a\nb"
        settings.requestTopics = ["bad topic", "bad topic"]
        settings.groupInstanceID = ""
        settings.sessionTimeout = .zero
        settings.maxPollInterval = .seconds(-1)
        settings.queuedKilobytesMax = 0
        settings.properties = ["acks": "0", "no.such": "1", "linger.ms": "soon"]
        #expect(
            settings.problems().map(\.setting) == [
                "bootstrapServers", "groupID", "clientID", "requestTopics", "requestTopics",
                "requestTopics", "groupInstanceID", "sessionTimeout", "maxPollInterval",
                "queuedKilobytesMax", "properties.acks", "properties.linger.ms",
                "properties.no.such",
            ])
    }

    @Test func `a client is not made from settings with problems`() {
        var settings = valid
        settings.requestTopics = []
        #expect {
            _ = try KafkaSource(settings: settings) { _ in }
        } throws: {
            ($0 as? Fault)?.disposition == .stop(.config)
        }
    }

    @Test(arguments: ReservedProperty.names)
    func `what the guarantees rest on can't be set`(name: String) throws {
        var settings = valid
        settings.properties = [name: "1"]
        let problem = try #require(settings.problems().first)
        #expect(problem.setting == "properties.\(name)")
        #expect(problem.rule.hasPrefix("can't be set: "))
    }

    @Test func `a refused value that may be a secret is not shown`() throws {
        var settings = valid
        // A pointer inside librdkafka, which no text can set.
        settings.properties = ["ssl_key": "hush-hush"]
        let problem = try #require(settings.problems().first)
        #expect(problem.setting == "properties.ssl_key")
        #expect(!problem.rule.contains("hush"))
        settings.properties = ["compression.codec": "zip"]
        #expect(settings.problems().first?.rule.contains("zip") == true)
    }

    @Test func `settings can be printed without telling a secret`() {
        var settings = valid
        settings.properties = ["sasl.password": "hush-hush"]
        #expect("\(settings)".contains("sasl.password"))
        #expect(!"\(settings)".contains("hush"))
    }

    @Test(arguments: [("acks\u{0}", "0"), ("Acks", "0"), ("", "0"), ("linger.ms", "1\u{0}0")])
    func `a property that C would read as another is refused`(name: String, value: String) {
        var settings = valid
        settings.properties = [name: value]
        #expect(settings.problems().count == 1)
    }

    @Test func `cooperative-sticky needs a library that survives it`() {
        var settings = valid
        settings.assignmentStrategy = .cooperativeSticky
        #expect(
            settings.problems(libraryVersion: 0x0202_00FF).map(\.setting) == ["assignmentStrategy"])
        #expect(settings.problems(libraryVersion: 0x0203_00FF).isEmpty)
    }

    @Test(arguments: ["", ".", "..", "a b", "ä", String(repeating: "a", count: 250)])
    func `a name that Kafka refuses is no topic name`(name: String) {
        #expect(!KafkaSettings.isTopicName(name))
    }
}
