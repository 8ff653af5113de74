import Worker

/// `attest-worker run`: consumes until it is asked to stop.
enum RunCommand {
    static let command = Command(
        name: "run", summary: "verify requests from Kafka until stopped",
        help: {
            """
            Reads requests from the request topics, verifies them, keeps key state in PostgreSQL,
            and publishes one verdict per request. Log lines go to standard error.

            SIGTERM or SIGINT: the lanes finish the batch in hand, commit, and leave the group; a
            second one ends the process at once, and what was in hand is delivered again.
            SIGHUP: reads settings and the files of secrets again, and takes over what may change
            while it runs. SIGUSR1: tells in the log what is in force. SIGUSR2: writes debug lines
            too, or no longer.

            Usage: attest-worker run [SETTINGS]
                   attest-worker run --embedded [SETTINGS]

            --embedded: a broker and a temporary PostgreSQL come along, for tests of a backend. Once
            it is ready it prints one line of JSON on standard output: bootstrapServers, postgres,
            postgresURI, topics, appIds. Unless apps are set, it verifies those of a simulated app,
            told as simulatedApp, for which `attest-worker fixtures` and `simulate` make requests.
            It ends, and leaves nothing behind, when its standard input, if that is a pipe or a
            socket, is closed, or when its parent ends. It keeps its settings: SIGHUP, SIGUSR1 and
            SIGUSR2 change nothing.

            Ends with
               0  stopped as asked, all finished work committed
              64  wrong command line               78  wrong settings
              69  a dependency can't be reached    77  authentication or authorisation refused
              73  schema or topics not as needed   76  another instance took this one's place
              75  the drain deadline passed        70  an internal fault; start again

            \(SettingsCommand.help)
            """
        }, execute: execute)

    private static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        // Before any thread is there, so that all of them inherit it.
        let isEmbedded = arguments.contains("--embedded")
        TerminationSignals.block(TerminationSignals.all)
        switch SettingsCommand.read(
            arguments, console, switches: ["--embedded"],
            required: isEmbedded ? [] : SettingsCommand.requiredToRun)
        {
        case .failure(let invalid): return invalid.exitCode
        case .success(let reading) where isEmbedded: return runEmbedded(reading, console)
        case .success(let reading):
            let log = SettingsCommand.log(reading.settings, console)
            let live = LiveSettings(reading.settings)
            let fleet = Fleet(
                settings: reading.settings, live: live,
                identity: WorkerIdentity(
                    version: Version.text, id: SettingsCommand.workerID(console)), log: log,
                manager: ServiceManager(environment: console.environment))
            let reloader = Reloader(reading.settings, live: live, log: log) {
                () throws(InvalidSettings) in
                try SettingsCommand.reading(
                    arguments, console, required: SettingsCommand.requiredToRun
                ).settings
            }
            return fleet.run(reloader: reloader)
        }
    }

    private static func runEmbedded(
        _ reading: SettingsReader.Reading, _ console: Console
    ) -> ExitCode {
        let set = EmbeddedRun.ownKeys.filter { reading.origins[$0] != nil }
        guard set.isEmpty else {
            console.complain(
                "attest-worker run: --embedded has a broker and a database of its own, so "
                    + "\(set.joined(separator: ", ")) must not be set\n")
            return .config
        }
        var settings = reading.settings
        // Many may run at once on one machine: none takes a port that it was not told to take.
        if reading.origins["operations.listen"] == nil { settings.operations.listen = nil }
        return EmbeddedRun(settings: settings, console: console).run()
    }
}
