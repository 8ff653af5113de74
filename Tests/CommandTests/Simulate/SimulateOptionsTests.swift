import AttestTestKit
import Testing
import Worker

@testable import attest_worker

@Suite struct `The command line of a simulation` {
    private static let secret = String(repeating: "0f", count: 32)
    private static let seeded = ["--seed-file=seed", "--app-id=T.b"]

    private func read(
        _ arguments: [String], seed: String = secret
    ) throws(SimulateOptions.Problem) -> SimulateOptions.Request {
        let console = TestConsole().console(files: ["seed": seed + "\n"])
        return try SimulateOptions.read(arguments, console.readFile)
    }

    private func options(_ arguments: [String]) throws -> SimulateOptions {
        guard case .simulate(let options, _) = try read(Self.seeded + arguments) else {
            throw Unexpected()
        }
        return options
    }

    private struct Unexpected: Error {}

    @Test func `takes its own flags and leaves the settings to their reader`() throws {
        let request = try read(
            Self.seeded + [
                "--devices", "7", "--rate=300", "--duration=5m", "--skew=1.5", "--lies=replay=2.5%",
                "--patience=2m",
                "--dialect=capgo", "--ios=14...18", "--run=9", "--config", "a.json5",
                "--kafka.bootstrapServers=b:1",
            ])
        guard case .simulate(let options, let settings) = request else { throw Unexpected() }
        #expect(options.appID == "T.b")
        #expect(options.devices == 7)
        #expect(options.rate == 300)
        #expect(options.duration == .seconds(300))
        #expect(options.skew == 1.5)
        #expect(options.patience == .seconds(120))
        #expect(options.lies?.shares.map(\.millionths) == [25_000])
        #expect(options.dialects == [.capgo])
        #expect(options.shapes == [.iOS14, .iOS17, .iOS18WithCodeDirectoryHash])
        #expect(options.run == 9)
        #expect(!options.isCanary)
        #expect(settings == ["--config", "a.json5", "--kafka.bootstrapServers=b:1"])
    }

    @Test func `is content with a seed and an app`() throws {
        let options = try options([])
        #expect(options.lies != nil)
        #expect(options.shapes == DeviceShape.allCases)
        #expect(options.dialects == PlanSettings.Dialect.allCases)
    }

    @Test(arguments: [
        ["--devices=0"], ["--devices=10001"], ["--rate=5001"], ["--rate=x"], ["--duration=60"],
        ["--duration=0s"], ["--duration=8d"], ["--skew=-1"], ["--skew=nan"], ["--skew=3.1"],
        ["--lies="], ["--lies=replay"], ["--lies=replay=1"], ["--lies=replay=1%,replay=1%"],
        ["--lies=replay=60%,forged=41%"], ["--lies=registration=1%"], ["--lies=replay=101%"],
        ["--lies=replay=1.23456%"], ["--lies=replay=-1%"], ["--lies=replay=1%%"],
        ["--dialect=all"], ["--ios=13"], ["--ios=27...14"], ["--ios=14...x"], ["--ios="],
        ["--run=-1"], ["--time-limit=5s"], ["--once", "--rate=5"], ["--once", "--patience=5s"],
        ["--patience=0s"], ["--once", "--time-limit=x"],
        ["--once", "--time-limit=2h"], ["--devices"], ["--seed=1"],
    ])
    func `is refused when it breaks a rule`(_ arguments: [String]) throws {
        let problem = #expect(throws: SimulateOptions.Problem.self) {
            try read(Self.seeded + arguments)
        }
        #expect(problem?.messages.count == 1, "\(arguments): \(problem?.messages ?? [])")
    }

    @Test func `is refused with all problems at once`() {
        let problem = #expect(throws: SimulateOptions.Problem.self) {
            try read(["--devices=0", "--rate=0"])
        }
        #expect(problem?.messages.count == 4)
    }

    @Test func `a number as a seed must be owned to be insecure`() throws {
        let problem = #expect(throws: SimulateOptions.Problem.self) {
            try read(["--seed=1", "--app-id=T.b"])
        }
        #expect(problem?.messages.first?.contains("can be guessed") == true)
        #expect(throws: SimulateOptions.Problem.self) { try read(["--seed=1", "--print-root"]) }
        let request = try read(["--seed=1", "--insecure-seed", "--app-id=T.b"])
        guard case .simulate(let options, _) = request else { throw Unexpected() }
        #expect(options.seed == .number(1))
    }

    @Test(arguments: ["", "short", String(repeating: "a", count: 64)])
    func `a seed file that can be guessed is refused, and its content not told`(
        _ secret: String
    ) throws {
        let problem = #expect(throws: SimulateOptions.Problem.self) {
            try read(Self.seeded, seed: secret)
        }
        let messages = try #require(problem).messages
        #expect(messages.count == 1)
        #expect(secret.isEmpty || !messages.joined().contains("file \(secret)"))
        #expect(messages.first?.contains("random bytes") == true)
    }

    @Test func `a seed file that is not there is named`() {
        let problem = #expect(throws: SimulateOptions.Problem.self) {
            try read(["--seed-file=gone", "--app-id=T.b"])
        }
        #expect(problem?.messages == ["--seed-file names the file gone, which does not exist"])
    }

    @Test func `the root is printed as the settings take it`() throws {
        let test = TestConsole()
        let console = test.console(files: ["seed": Self.secret])
        let code = AttestWorker.run(
            ["simulate", "--print-root", "--seed-file=seed"], console: console)
        #expect(code == .success)
        let seed = try #require(SimulationSeed(secretFile: Array(Self.secret.utf8)))
        #expect(PEM.certificate(test.outputText) == seed.authority.rootCertificate)
        #expect(test.outputText.split(separator: "\n").allSatisfy { $0.count <= 64 })
    }

    @Test(arguments: [
        (["--fast"], ["--fast"]), (["--rate=5", "--once"], ["--rate", "--once"]),
        (["--app-id=T.b", "--config=x"], ["--app-id", "--config=x"]), (["more"], ["more"]),
    ])
    func `the root is printed without anything that has nothing to do with it`(
        _ arguments: [String], _ refused: [String]
    ) {
        let problem = #expect(throws: SimulateOptions.Problem.self) {
            try read(["--print-root", "--seed-file=seed"] + arguments)
        }
        #expect(
            problem?.messages
                == refused.map {
                    "--print-root takes a seed and nothing else: \"\($0)\" means nothing to it"
                })
    }

    @Test func `the root is not printed without a seed, and nothing else is asked for`() {
        let problem = #expect(throws: SimulateOptions.Problem.self) { try read(["--print-root"]) }
        #expect(problem?.messages.count == 1)
        #expect(problem?.messages.first?.hasPrefix("a seed is needed") == true)
    }

    @Test func `another secret has another root, and no number has the same`() throws {
        let one = try #require(SimulationSeed(secretFile: Array(Self.secret.utf8)))
        let other = try #require(SimulationSeed(secretFile: Array((Self.secret + "1").utf8)))
        let roots = [one, other, .number(0)].map(\.authority.rootCertificate)
        #expect(Set(roots).count == 3)
        let devices = [one, other].map { seed in
            SimulatedDevice(seed: 1, appID: "T.b", authority: seed.authority).keyID
        }
        #expect(Set(devices).count == 2)
    }

    @Test func `each run has other devices, the same run the same`() {
        let seed = SimulationSeed.number(5)
        let seeds = (0..<100).map { seed.seed(ofRun: $0) }
        #expect(Set(seeds).count == 100)
        #expect(seed.seed(ofRun: 7) == seeds[7])
    }
}
