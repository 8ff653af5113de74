import Synchronization
import Worker

/// Has lanes make their Kafka clients anew, one after the other, when how they connect has changed.
///
/// A lane that is due ends as if the process were asked to stop: it commits and leaves its group.
/// It begins again with new clients, and the next one is due when it is back. So a secret that the
/// brokers refuse costs the first lane's work alone, and the next reload can mend it.
final class ClientRenewal: Sendable {
    private let settings: Live<Settings.Kafka>
    /// Which version each lane's clients were made with.
    private let versions: Mutex<[Int]>
    private let isBack: @Sendable (Int) -> Bool

    /// Lanes whose clients are to be made.
    ///
    /// - Parameters:
    ///   - settings: how clients connect; replaced when they must be made anew.
    ///   - lanes: how many lanes there are.
    ///   - isBack: whether a lane is a member of its group, or has ended for good.
    init(
        _ settings: Live<Settings.Kafka>, lanes: Int, isBack: @escaping @Sendable (Int) -> Bool
    ) {
        self.settings = settings
        versions = Mutex(Array(repeating: 0, count: lanes))
        self.isBack = isBack
    }

    /// A lane makes its clients.
    ///
    /// - Returns: the settings to make them with.
    func begin(_ lane: Int) -> Settings.Kafka {
        // One that comes in between is noticed: the lane is due once more then.
        let version = settings.currentVersion
        versions.withLock { $0[lane] = version }
        return settings.value
    }

    /// Whether a lane's clients are to be made anew now; asked by the lane, at each turn.
    func isDue(_ lane: Int) -> Bool {
        let newest = settings.currentVersion
        let versions = versions.withLock { $0 }
        guard versions[lane] != newest else { return false }
        return versions.indices.prefix(lane).allSatisfy { versions[$0] == newest && isBack($0) }
    }
}
