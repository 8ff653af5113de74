import Operations
import Worker

/// `attest-worker health`: asks the worker of the same settings how it is.
enum HealthCommand {
    static let command = Command(
        name: "health", summary: "ask a running worker on this machine how it is",
        help: {
            """
            Asks the worker that runs with the same settings on this machine, by HTTP at
            operations.listen, and prints its answer: a probe for images and units that have no
            other HTTP client.

            Usage: attest-worker health [--ready | --started] [SETTINGS]

              --ready    asks /readyz: does it do its work now? Fails while PostgreSQL or Kafka is
                         away
              --started  asks /startupz: have all lanes met PostgreSQL and their group once?
              neither    asks /livez: would a restart help? An outage of others is no reason

            Ends with 0 when it is well, 1 when it is not, 69 when nobody answers within
            \(HealthProbe.patience.wholeMilliseconds / 1000) s, 78 when
            the settings tell of no port.

            \(SettingsCommand.help)
            """
        }, execute: execute)

    private static let paths = ["--ready": "/readyz", "--started": "/startupz"]

    private static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        switch SettingsCommand.read(
            arguments, console, switches: Set(paths.keys), required: [])
        {
        case .failure(let invalid): return invalid.exitCode
        case .success(let reading):
            let switches = reading.switches
            guard switches.count < 2 else {
                console.complain("attest-worker health: --ready or --started, not both\n")
                return .usage
            }
            let path = switches.first.flatMap { paths[$0] } ?? "/livez"
            guard let listen = reading.settings.operations.listen,
                let address = ListenAddress(listen), address.port != 0
            else {
                console.complain(
                    "attest-worker health: operations.listen is"
                        + " \(reading.settings.operations.listen ?? "off"): nobody can be asked\n")
                return .config
            }
            return ask(path, HealthProbe(listen: address), console)
        }
    }

    private static func ask(
        _ path: String, _ probe: HealthProbe, _ console: Console
    ) -> ExitCode {
        do throws(Fault) {
            let answer = try probe.get(path)
            guard answer.status != 404 else {
                throw Fault(
                    operation: "ask \(probe.address)", code: "not_found",
                    disposition: .stop(.unavailable), message: "no worker of this version is there")
            }
            let told = console.answer(answer.body)
            return answer.status == 200 ? told : .negative
        } catch {
            console.complain("attest-worker health: \(error)\n")
            return error.exitCode
        }
    }
}
