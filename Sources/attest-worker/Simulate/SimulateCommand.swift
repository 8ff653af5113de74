import Glibc
import Worker

/// `attest-worker simulate`: devices that never were, against workers that are real.
enum SimulateCommand {
    static let command = Command(
        name: "simulate", summary: "send requests of simulated devices and check the verdicts",
        help: {
            let defaults = SimulateOptions()
            return """
                Sends registrations and assertions of simulated devices to the request topic, some
                of which lie, watches the verdict topic, and compares each verdict with what it must
                be. A load generator, a smoke test, and with --once a canary for a readiness gate.

                The devices are attested by a root that follows from the seed. Workers accept it
                for one app only, which their settings mark `simulated: true`, with the root as its
                trustAnchor. Nothing is sent unless the settings given here have that app, too.

                Usage: attest-worker simulate --app-id=TEAM.bundle SEED [LOAD | --once] [SETTINGS]
                       attest-worker simulate --print-root SEED
                       attest-worker simulate --apple SEED TLS

                SEED
                  --seed-file=FILE  a secret: \(SimulationSeed.secretBytesMin) random bytes or \
                more, as of `openssl rand -hex 32`
                  --seed=N --insecure-seed
                                    a number. Whoever guesses it can have forged requests of the
                                    simulated app accepted: for tests only
                  --print-root      prints the root certificate for the file of the trustAnchor

                LOAD
                  --devices=N       how many devices register; \(defaults.devices), at most \
                \(SimulateOptions.devicesMax)
                  --rate=N          requests a second, all together; \(defaults.rate), at most \
                \(SimulateOptions.rateMax)
                  --duration=T      how long requests are sent; 60s, at most 7d
                  --patience=T      gives up after so long without any answer while one is due; 30s
                  --skew=S          device n is chosen in proportion to n to the power of -S; 0
                  --lies=LIST       shares of requests that are not plain assertions, or "none";
                                    \(SimulateOptions.liesByDefault)

                \(lies)
                --once              one registration, one assertion, one replay that is refused
                  --time-limit=T    how long all three may take; 30s

                  --dialect=NAME    capgo, app-check or plain; all in turn
                  --ios=RANGE       such as 14...27 or 17; all, and macOS 27
                  --run=N           makes the devices of an earlier run again; each run has others

                \(SimulatedApple.help)

                SIGTERM or SIGINT: nothing more is sent, answers are awaited. Again, or with --once:
                the end.

                Ends with
                   0  every answer was the right one
                   1  an answer was wrong, missing, or differed from its repeat: all are listed
                  64  wrong command line          78  wrong settings, or no simulated app in them
                  69  a broker can't be reached, or nobody answered at all
                 130  interrupted before the report

                \(SettingsCommand.help)
                """
        }, execute: execute)

    private static var lies: String {
        PlannedKind.byFlag.sorted { $0.key < $1.key }.map { name, kind in
            let padding = String(repeating: " ", count: max(1, 18 - name.count))
            return "    \(name)\(padding)\(kind.rawValue): \(kind.answer)\n"
        }.joined()
    }

    private static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        if SimulatedApple.isMeant(arguments) {
            return SimulatedApple.execute(arguments, console)
        }
        do throws(SimulateOptions.Problem) {
            switch try SimulateOptions.read(arguments, console.readFile) {
            case .printRoot(let seed): return console.answer(seed.authority.rootCertificateAsPEM)
            case .simulate(let options, let settings):
                return simulate(options, settings, console)
            }
        } catch {
            for message in error.messages {
                console.complain("attest-worker simulate: \(message)\n")
            }
            console.complain("`attest-worker simulate --help` tells more.\n")
            return .usage
        }
    }

    private static func simulate(
        _ options: SimulateOptions, _ arguments: [String], _ console: Console
    ) -> ExitCode {
        // Before any thread is there, so that all of them inherit it.
        TerminationSignals.block()
        switch SettingsCommand.read(arguments, console, required: SettingsCommand.requiredToRun) {
        case .failure(let invalid): return invalid.exitCode
        case .success(let reading):
            let problems = SimulatedAppCheck.problems(
                options, reading.settings, now: console.instant)
            guard problems.isEmpty else {
                for problem in problems {
                    console.complain("attest-worker simulate: \(problem)\n")
                }
                return .config
            }
            let signals = Mailbox<Int32>()
            guard TerminationSignals.forward(to: signals) else {
                console.complain("attest-worker simulate: the system can't start a thread\n")
                return .software
            }
            var run = SimulateRun(
                options, reading.settings, console: console,
                isTerminal: isatty(STDOUT_FILENO) == 1, signals: signals)
            return run.perform()
        }
    }
}
