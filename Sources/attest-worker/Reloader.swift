import PostgresStore
import Synchronization
import Worker

/// Reads the settings again and hands the lanes what may change while they run.
///
/// Nothing is half taken over: with a problem anywhere the old settings stay, all of them.
final class Reloader: Sendable {
    /// Reads the settings as the process's start did.
    typealias Read = @Sendable () throws(InvalidSettings) -> Settings

    private let read: Read
    private let live: LiveSettings
    private let log: Log
    private let state: Mutex<State>

    private struct State {
        /// In force: what was started with, but for what was taken over since.
        var settings: Settings
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
    ///   - read: reads the settings again.
    init(_ settings: Settings, live: LiveSettings, log: Log, read: @escaping Read) {
        state = Mutex(State(settings: settings))
        self.live = live
        self.log = log
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
            state.withLock { state in
                state.reloads.failed += 1
                state.reloads.hasLastFailed = true
                live.reloads.replace(with: state.reloads)
            }
            let problems = error.problems.map(\.description).joined(separator: "; ")
            log(
                .error, "reload_failed",
                "the settings can't be used, the old ones stay: \(problems)",
                ["problems": LogValue(error.problems.count)])
            return
        }
        let change = state.withLock { state in
            let change = SettingsChange(
                from: state.settings, to: new,
                isSameDatabase: PostgresSettings.leadToSameDatabase)
            live.replace(with: change.inForce, insteadOf: state.settings)
            state.settings = change.inForce
            state.reloads.done += 1
            state.reloads.hasLastFailed = false
            live.reloads.replace(with: state.reloads)
            log.level = state.isDebugging ? .debug : change.inForce.log.level
            return change
        }
        log(
            .info, "settings_reloaded", "the settings were read again",
            [
                "taken_over": LogValue(change.takenOver.joined(separator: ",")),
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
