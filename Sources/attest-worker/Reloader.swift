import KafkaTransport
import PostgresStore
import Synchronization
import Worker

/// Reads the settings again and hands the lanes what may change while they run.
///
/// Nothing is half taken over: with a problem anywhere the old settings stay, all of them.
final class Reloader: Sendable {
    /// Reads the settings as the process's start did.
    typealias Read = @Sendable () throws(InvalidSettings) -> Settings

    /// Makes a client with settings and throws it away, to see whether it can be made.
    typealias TryClient = @Sendable (Settings) throws(Fault) -> Void

    private let read: Read
    private let readFile: SettingsReader.ReadFile
    private let tryClient: TryClient
    private let live: LiveSettings
    private let log: Log
    private let state: Mutex<State>

    private struct State {
        /// In force: what was started with, but for what was taken over since.
        var settings: Settings
        /// What the files held that its Kafka clients were made with.
        var files: ClientFiles
        /// How often something was taken over, and how often it could not be.
        var reloads = SettingsReloads()
        /// Whether debug lines are written though the settings ask for less.
        var isDebugging = false
    }

    /// A reloader of a running process.
    ///
    /// - Parameters:
    ///   - settings: what it was started with.
    ///   - live: where the lanes look.
    ///   - log: what follows `log.level`, and where it tells what it does.
    ///   - readFile: reads the files that Kafka's clients are made with.
    ///   - tryClient: whether a client can be made.
    ///   - read: reads the settings again.
    init(
        _ settings: Settings, live: LiveSettings, log: Log,
        readFile: @escaping SettingsReader.ReadFile = Console.process.readFile,
        tryClient: @escaping TryClient = { (settings) throws(Fault) in
            _ = try KafkaAdmin(settings: KafkaSettings(settings.kafka)) { _ in }
        }, read: @escaping Read
    ) {
        state = Mutex(
            State(settings: settings, files: ClientFiles(of: settings.kafka, readFile)))
        self.live = live
        self.log = log
        self.readFile = readFile
        self.tryClient = tryClient
        self.read = read
    }

    /// Reads and takes over.
    ///
    /// It waits for the files it reads, so it has a thread of its own.
    func reload() {
        let new: Settings
        do {
            new = try read()
        } catch {
            let problems = error.problems.map(\.description).joined(separator: "; ")
            return refuse(problems, count: error.problems.count)
        }
        let (old, oldFiles) = state.withLock { ($0.settings, $0.files) }
        let change = SettingsChange(
            from: old, to: new, isSameDatabase: PostgresSettings.leadToSameDatabase)
        if new.revocations.path != old.revocations.path, let path = new.revocations.path {
            do throws(RevocationFile.Refused) {
                _ = try RevocationFile(path: path).read()
            } catch {
                return refuse("revocations.path: \(error.description)", count: 1)
            }
        }
        let files = ClientFiles(of: change.inForce.kafka, readFile)
        let changedFiles = files.changes(since: oldFiles)
        let renewsClients = change.renewsClients || !changedFiles.isEmpty
        if renewsClients {
            do throws(Fault) {
                try tryClient(change.inForce)
            } catch {
                return refuse(error.description, count: 1)
            }
        }
        live.replace(with: change.inForce, insteadOf: old, renewsClients: renewsClients)
        state.withLock { state in
            state.settings = change.inForce
            state.files = files
            state.reloads.done += 1
            state.reloads.hasLastFailed = false
            live.reloads.replace(with: state.reloads)
            log.level = state.isDebugging ? .debug : change.inForce.log.level
        }
        tell(change, changedFiles)
    }

    /// Leaves everything as it is.
    private func refuse(_ problems: String, count: Int) {
        state.withLock { state in
            state.reloads.failed += 1
            state.reloads.hasLastFailed = true
            live.reloads.replace(with: state.reloads)
        }
        log(
            .error, "reload_failed",
            "the settings can't be used, the old ones stay: \(problems)",
            ["problems": LogValue(count)])
    }

    private func tell(_ change: SettingsChange, _ changedFiles: [String]) {
        log(
            .info, "settings_reloaded", "the settings were read again",
            [
                "taken_over": LogValue(
                    (change.takenOver + changedFiles).joined(separator: ",")),
                "apps": LogValue(change.inForce.apps.count),
            ])
        if !change.needingRestart.isEmpty {
            log(
                .warning, "restart_needed",
                "settings have changed that count only after a restart; the old ones stay",
                ["settings": LogValue(change.needingRestart.joined(separator: ","))])
        }
    }

    /// Tells what is in force; as a warning, so that it is seen at the usual levels.
    func tellState() {
        let (apps, level, reloads) = state.withLock {
            ($0.settings.apps.count, log.level, $0.reloads)
        }
        log(
            .warning, "worker_state", "what is in force now, as asked for by SIGUSR1",
            [
                "apps": LogValue(apps), "log_level": LogValue(level.rawValue),
                "reloads": LogValue(reloads.done), "reloads_failed": LogValue(reloads.failed),
            ])
    }

    /// Writes debug lines too, or no longer.
    func toggleDebugging() {
        let isDebugging = state.withLock { state in
            state.isDebugging.toggle()
            log.level = state.isDebugging ? .debug : state.settings.log.level
            return state.isDebugging
        }
        log(
            .warning, "log_level_changed",
            isDebugging ? "debug lines are written" : "lines are written as log.level says",
            ["debug": LogValue(isDebugging)])
    }
}
