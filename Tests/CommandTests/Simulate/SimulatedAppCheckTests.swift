import AppAttest
import AttestTestKit
import Testing
import Worker

@testable import attest_worker

@Suite struct `Before a simulation sends anything` {
    private static let authority = TestAuthority(seed: 3)

    private func problems(
        _ change: (inout Settings.App) -> Void = { _ in }, _ lies: String = "none",
        now: Instant = WorkerInMemory.now
    ) -> [String] {
        var options = SimulateOptions()
        options.appID = "T.canary"
        options.seed = .number(3)
        options.lies = LieMix(lies)
        var app = Settings.App(simulated: "T.canary", authority: Self.authority)
        change(&app)
        var real = Settings.App()
        real.appID = "T.real"
        var settings = Settings()
        settings.apps = [real, app]
        return SimulatedAppCheck.problems(options, settings, now: now)
    }

    @Test func `a simulated app with the seed's root is found`() {
        #expect(problems() == [])
    }

    @Test func `a clock outside of the root's time is told`() {
        for seconds: Int64 in [0, 2_373_148_800] {
            let found = problems(now: Instant(seconds: seconds))
            #expect(found.count == 1)
            #expect(found.first?.hasPrefix("the clock: simulated devices can be attested") == true)
        }
    }

    @Test func `an app that the settings do not have is refused, and those named that are`() {
        let found = problems { $0.appID = "T.other" }
        #expect(found == ["the settings have no app T.canary; simulated are T.other"])
    }

    @Test func `an app of real users is refused`() {
        let found = problems {
            $0.isSimulated = false
            $0.trustAnchor = nil
        }
        #expect(found.count == 1)
        #expect(found.first?.contains("nothing is sent") == true)
    }

    @Test func `another root is refused`() {
        let found = problems { $0.trustAnchor = TestAuthority(seed: 4).rootCertificateAsPEM }
        #expect(found.count == 1)
        #expect(found.first?.contains("--print-root") == true)
    }

    @Test func `what the app's policy would answer otherwise is refused`() {
        #expect(problems { $0.environments = [.development] }.count == 1)
        #expect(problems({ $0.environments = [.development, .production] }).isEmpty)
        #expect(
            problems({ $0.environments = [.development, .production] }, "development=1%").count == 1
        )
        #expect(problems { $0.rules.platforms.allow = [.macOS] }.count == 1)
        #expect(
            problems {
                $0.rules.platforms.allow = [.macOS]
                $0.rules.platforms.mode = .report
            }.isEmpty)
        #expect(problems({ $0.rules.reattestation = .reject }, "reattested=1%").count == 1)
        #expect(problems({ $0.rules.reattestation = .reject }, "replay=1%").isEmpty)
    }

    @Test func `the command ends with 78 and tells why`() {
        let test = TestConsole()
        let code = AttestWorker.run(
            [
                "simulate", "--seed=3", "--insecure-seed", "--app-id=T.real",
                "--kafka.bootstrapServers=127.0.0.1:1", "--apps=[{appId: \"T.real\"}]",
            ], console: test.console())
        #expect(code == .config)
        #expect(test.errorText.contains("T.real is not marked \"simulated\": true"))
    }
}
