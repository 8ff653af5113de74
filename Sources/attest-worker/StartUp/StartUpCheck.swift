import Glibc
import Worker

/// What `check` prints and what `run` starts by: both look at the same things in the same way.
enum StartUpCheck {
    /// Looks at settings, database, brokers and topics; consumes and changes nothing.
    ///
    /// - Parameters:
    ///   - settings: the settings.
    ///   - process: what this process has to live on.
    ///   - owner: who asks, for people who look at the server's sessions.
    /// - Returns: what was found, in that order.
    static func findings(
        _ settings: Settings, _ process: ProcessFacts, owner: String
    ) -> [Finding] {
        [.fine("settings", "\(settings.apps.count) app(s)")] + CrossChecks(settings).ofSettings()
            + ProviderKeyCheck.findings(settings)
            + RevocationFile.findings(settings.revocations)
            + DatabaseCheck.findings(settings, process, owner: owner)
            + TopicCheck.findings(settings, process)
    }
}

extension ProcessFacts {
    /// What a process with these settings has on this machine.
    init(_ settings: Settings) {
        self.init(
            lanes: settings.worker.count == 0 ? usualLanes() : settings.worker.count,
            memoryBytesMax: MemoryLimit.bytes(read: Console.process.readFile))
    }
}

/// Two lanes a core: while one waits for a commit or for delivery reports the other verifies.
///
/// No more than ``usualLanesMax``, as a container may have less than the cores it sees.
private func usualLanes() -> Int {
    min(usualLanesMax, 2 * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
}

private let usualLanesMax = 16
