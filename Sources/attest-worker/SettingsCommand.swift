import Glibc
import KafkaTransport
import PostgresStore
import Worker

/// What commands that need settings have in common.
enum SettingsCommand {
    /// Keys without which nothing can be consumed.
    static let requiredToRun = ["kafka.bootstrapServers", "apps"]

    /// The part of `--help` about settings.
    static var help: String {
        """
        SETTINGS, later ones stand: defaults, --config=FILE (JSON5) or the variable
        \(SettingsReader.configVariable), variables ATTEST_SECTION__KEY, flags --section.key=VALUE.
        A key with "File" at its end, or a variable with _FILE, names a file that holds a secret.

        \(SettingsPage.help())

        Each element of apps is an object with appId, and if need be environments, trustAnchor,
        simulated and policies; `attest-worker config --reference` tells all about them.

        """
    }

    /// Reads the settings of a command line and of the environment, and tells every problem.
    static func read(
        _ arguments: [String], _ console: Console, switches: Set<String> = [], required: [String]
    ) -> Result<SettingsReader.Reading, InvalidSettings> {
        do {
            return .success(
                try reading(arguments, console, switches: switches, required: required))
        } catch {
            console.complain(
                "attest-worker: the settings can't be used:\n"
                    + error.problems.map { "  - \($0)\n" }.joined())
            return .failure(error)
        }
    }

    /// Reads the settings of a command line and of the environment.
    ///
    /// - Throws: every problem.
    static func reading(
        _ arguments: [String], _ console: Console, switches: Set<String> = [], required: [String]
    ) throws(InvalidSettings) -> SettingsReader.Reading {
        try SettingsReader.read(
            arguments: arguments, environment: console.environment, switches: switches,
            required: required, moreRules: rules, readFile: console.readFile)
    }

    /// What only the parts behind the settings can tell: Kafka's client, libpq, readers of PEM.
    private static func rules(_ reading: SettingsReader.Reading) -> [SettingProblem] {
        KafkaSettings.problems(in: reading) + PostgresSettings.problems(in: reading)
            + Policy.problems(in: reading)
    }

    /// The log that the settings ask for, on standard error.
    static func log(_ settings: Settings, _ console: Console) -> Log {
        let format: Log.Format =
            switch settings.log.format {
            case .json: .json
            case .text: .text
            case .auto: isatty(STDERR_FILENO) == 1 ? .text : .json
            }
        let log = Log(
            level: settings.log.level, format: format, clock: console.clock,
            sink: console.writeError)
        guard format == .json else { return log }
        return log.with([
            "service": "attest-worker", "version": LogValue(Version.text),
            "worker_id": LogValue(workerID(console)),
        ])
    }

    /// Which instance this is: the pod's name or the host's, and the process id.
    ///
    /// In a pod the process id is 1 for all, on a host the name is the same for all.
    static func workerID(_ console: Console) -> String {
        var name = [CChar](repeating: 0, count: 256)
        let host =
            gethostname(&name, name.count - 1) == 0
            ? String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            : "unknown-host"
        return "\(console.environment["POD_NAME"] ?? host)-\(getpid())"
    }
}
