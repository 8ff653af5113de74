import Testing
import Worker

@testable import attest_worker

@Suite struct CommandLineTests {
    @Test func `without a command the overview is a complaint`() {
        let test = TestConsole()
        #expect(AttestWorker.run([], console: test.console()) == .usage)
        #expect(test.outputText == "")
        #expect(test.errorText.contains("Usage: attest-worker COMMAND"))
    }

    @Test(arguments: ["--help", "-h", "help"])
    func `asked for, the overview is an answer that names every command`(argument: String) {
        let test = TestConsole()
        #expect(AttestWorker.run([argument], console: test.console()) == .success)
        for command in Command.all { #expect(test.outputText.contains("  \(command.name) ")) }
    }

    @Test func `an unknown command is bad usage`() {
        let test = TestConsole()
        #expect(AttestWorker.run(["vrify"], console: test.console()) == .usage)
        #expect(test.errorText.contains("\"vrify\""))
    }

    @Test(arguments: Command.all.map(\.name), ["--help", "-h"])
    func `each command has a help that fits a terminal`(name: String, flag: String) {
        let test = TestConsole()
        #expect(AttestWorker.run([name, flag], console: test.console()) == .success)
        #expect(test.outputText.contains("Usage: attest-worker \(name)"))
        #expect(test.outputText.hasSuffix("\n"))
        #expect(test.outputText.split(separator: "\n").allSatisfy { $0.count <= 100 })
    }

    @Test(arguments: ["run", "check"])
    func `what the brokers' client refuses is told with all the rest`(name: String) {
        let test = TestConsole()
        let code = AttestWorker.run(
            [
                name, "--kafka.bootstrapServers=broker", "--kafka.properties.acks=1",
                "--apps=[{appId: \"T.b\", trustAnchor: \"no\"}]", "--log.level=loud",
            ], console: test.console())
        #expect(code == .usage)
        for key in [
            "kafka.bootstrapServers (flag", "kafka.properties.acks (flag", "apps[0].trustAnchor",
            "log.level",
        ] {
            #expect(test.errorText.contains("  - \(key)"))
        }
    }

    @Test(arguments: ["run", "check"])
    func `what can't be done without is missed`(name: String) {
        let test = TestConsole()
        #expect(AttestWorker.run([name], console: test.console()) == .config)
        #expect(test.errorText.contains("  - apps must be set"))
        #expect(test.errorText.contains("  - kafka.bootstrapServers must be set"))
    }

    @Test func `config prints what stands, masked, and its origin`() {
        let test = TestConsole()
        let console = test.console(environment: ["ATTEST_POSTGRES__PASSWORD": "hunter2"])
        #expect(AttestWorker.run(["config", "--worker.lanes=2"], console: console) == .success)
        #expect(test.outputText.contains(#""lanes": 2,  // flag --worker.lanes"#))
        #expect(test.outputText.contains(#""password": "***""#))
    }

    @Test func `output that nobody takes is a failure`() {
        var console = TestConsole().console()
        console.writeOutput = { _ in false }
        #expect(AttestWorker.run(["--version"], console: console) == .software)
    }
}
