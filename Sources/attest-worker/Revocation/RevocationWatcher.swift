import Glibc
import Synchronization
import Worker

/// Follows the file of revocations, and hands the lanes each list that it holds.
///
/// Nothing is half taken over: while the file can't be used, the list that was read last stands,
/// and that is told once for each state of the file.
final class RevocationWatcher: Sendable {
    private let file: RevocationFile
    private let settings: Settings.Revocations
    private let live: Live<RevocationList>
    private let log: Log
    /// The state of the file that was looked at last, nil where there was none; held while a file
    /// is read, which may take seconds.
    private let seen = Mutex<RevocationFile.Stamp?>(nil)
    private let told = Mutex<RevocationReport?>(nil)

    /// A watcher that has not looked yet; nil where no file is set.
    ///
    /// - Parameters:
    ///   - settings: which file, and how often to look.
    ///   - live: where the lanes look.
    ///   - log: where it tells what it does.
    init?(_ settings: Settings.Revocations, live: Live<RevocationList>, log: Log) {
        guard let path = settings.path else { return nil }
        file = RevocationFile(path: path)
        self.settings = settings
        self.live = live
        self.log = log
    }

    /// What is told of the list that stands; nil before the first.
    var report: RevocationReport? {
        told.withLock { $0 }
    }

    /// Reads the first list.
    ///
    /// - Returns: whether there is one.
    func begin() -> Bool {
        look()
        return report != nil
    }

    /// Looks again and again, on the calling thread, until the stop signal.
    func watch(until stop: StopSignal) {
        let pause = UInt32(clamping: settings.interval.wholeMilliseconds)
        while !stop.isRequested {
            usleep(min(pause, 500) * 1000)
            // A longer interval in short steps, so that a stop needs not wait for it.
            var rest = pause - min(pause, 500)
            while rest > 0, !stop.isRequested {
                usleep(min(rest, 500) * 1000)
                rest -= min(rest, 500)
            }
            look()
        }
    }

    /// Looks whether the file has changed; if so, reads it.
    func look() {
        seen.withLock { seen in
            let stamp = file.stamp()
            if let report {
                // A file that is gone is told once.
                guard stamp != seen || (stamp == nil && !report.isFileRefused) else { return }
            }
            seen = stamp
            do throws(RevocationFile.Refused) {
                let (list, stamp) = try file.read()
                seen = stamp
                take(list, stamp)
            } catch {
                told.withLock { report in
                    report?.refused += 1
                    report?.isFileRefused = true
                }
                log(
                    .error, "revocations_refused",
                    "the file of revocations can't be used: \(error)",
                    ["list": LogValue(report?.version ?? "none")])
            }
        }
    }

    private func take(_ list: RevocationList, _ stamp: RevocationFile.Stamp) {
        let former = report
        let isNew = former?.version != list.version
        var report = RevocationReport(
            list, writtenAt: stamp.writtenAt, ageMax: settings.ageMax)
        report.refused = former?.refused ?? 0
        report.adopted = (former?.adopted ?? 0) + (isNew ? 1 : 0)
        if isNew { live.replace(with: list) }
        told.withLock { $0 = report }
        guard isNew || former?.isFileRefused == true else { return }
        log(
            .info, "revocations_adopted", "the list of revocations was read",
            [
                "list": LogValue(list.version), "keys": LogValue(report.keys),
                "certificates": LogValue(report.certificates), "apps": LogValue(report.apps),
            ])
    }
}
