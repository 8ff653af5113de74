import AttestTestKit
import Glibc
import Worker

/// `attest-worker demo`: the whole main job on one machine, with nothing else needed.
enum DemoCommand {
    static let command = Command(
        name: "demo", summary: "watch it work: broker, database and devices included",
        help: {
            let defaults = DemoOptions()
            return """
                Starts an embedded Kafka broker, a temporary PostgreSQL and two lanes, and sends
                requests of simulated devices, many of which lie. Each request is planned with the
                answer it must get; at the end a table tells what came. The devices are attested by
                a root of the demo's own; Apple's is not involved.

                Usage: attest-worker demo [--devices N] [--requests N] [--seed N] [--keep]

                  --devices N   how many devices register a key; \(defaults.devices), at most \
                \(DemoOptions.devicesMax)
                  --requests N  how many records are sent, registrations among them;
                                \(defaults.requests), at most \(DemoOptions.requestsMax)
                  --seed N      what keys, lies and their order follow from; \(defaults.seed)
                  --keep        leave everything running until Ctrl-C or SIGTERM, and print how to
                                look around with kcat and psql

                Needs the programs of a PostgreSQL server to be installed, as Debian's package
                postgresql has them. Everything is gone when it ends, however it ends.

                Ends with
                   0  every answer was the right one
                   1  some were not: they are listed
                  64  wrong command line
                  69  PostgreSQL's programs are missing or fail, or the clock is decades off
                 130  interrupted before the report

                """
        }, execute: execute)

    private static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        let options: DemoOptions
        do throws(DemoOptions.Problem) {
            options = try DemoOptions(arguments)
        } catch {
            for message in error.messages {
                console.complain("attest-worker demo: \(message)\n")
            }
            console.complain("`attest-worker demo --help` tells more.\n")
            return .usage
        }
        if let problem = TestAuthority.problem(at: console.instant) {
            console.complain("attest-worker demo: the clock: \(problem)\n")
            return .unavailable
        }
        // Before any thread is there, so that all of them inherit it.
        TerminationSignals.block()
        let signals = Mailbox<Int32>()
        guard TerminationSignals.forward(to: signals) else {
            console.complain("attest-worker demo: the system can't start a thread\n")
            return .software
        }
        var run = DemoRun(
            options, console: console, isTerminal: isatty(STDOUT_FILENO) == 1, signals: signals)
        return run.run()
    }
}
