import Testing
import Worker

@testable import attest_worker

@Suite struct `The command line of the demo` {
    @Test func `may be empty`() throws {
        #expect(try DemoOptions([]) == DemoOptions())
    }

    @Test func `takes values behind a blank or an equals sign`() throws {
        let options = try DemoOptions(["--devices", "6", "--requests=60", "--seed=0", "--keep"])
        #expect(options.devices == 6)
        #expect(options.requests == 60)
        #expect(options.seed == 0)
        #expect(options.keepsRunning)
    }

    @Test(arguments: [
        ["--devices", "0"], ["--devices", "2001"], ["--devices=x"], ["--devices="], ["--devices"],
        ["--requests", "-1"], ["--requests=100001"], ["--seed=-1"], ["--seed"], ["--keep=yes"],
        ["--fast"], ["more"], ["--requests=119"],
        ["--requests=2000000000000000000000"],
    ])
    func `is refused when it breaks a rule`(_ arguments: [String]) throws {
        let problem = #expect(throws: DemoOptions.Problem.self) { try DemoOptions(arguments) }
        #expect(problem?.messages.count == 1)
    }

    @Test func `is refused with all problems at once`() throws {
        let problem = #expect(throws: DemoOptions.Problem.self) {
            try DemoOptions(["--devices=0", "--fast", "--seed=x"])
        }
        #expect(problem?.messages.count == 3)
    }

    @Test func `ends with 64 and a hint when it is wrong`() {
        let console = TestConsole()
        #expect(AttestWorker.run(["demo", "--fast"], console: console.console()) == .usage)
        #expect(console.errorText.contains("there is no flag \"--fast\""))
        #expect(console.errorText.contains("--help"))
    }

    @Test func `has a help text with every flag and exit code`() {
        let console = TestConsole()
        #expect(AttestWorker.run(["demo", "--help"], console: console.console()) == .success)
        for text in ["--devices", "--requests", "--seed", "--keep", " 69  ", "130  "] {
            #expect(console.outputText.contains(text))
        }
    }
}
