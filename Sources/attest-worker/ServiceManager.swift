import Glibc
import Worker

/// Tells systemd, or whoever else started the process and speaks its protocol, how it is doing.
///
/// One datagram a message, to the socket that `NOTIFY_SOCKET` names; without it nobody asked.
/// Source: sd_notify(3), "Notes" and "Well-known assignments"; no library is needed for it.
struct ServiceManager: Sendable {
    /// What can be told.
    enum Message: Hashable, Sendable {
        /// The settings are good and the lanes run: the start has succeeded, whether or not the
        /// broker and the database can be reached just now. Said again, a reload is over.
        case ready
        /// The settings are being read again, from this moment on.
        case reloading(monotonic: Duration)
        /// The end was asked for, or forced by a fault.
        case stopping
        /// The lanes make progress.
        case alive

        /// The datagram.
        var text: String {
            switch self {
            case .ready: "READY=1\nSTATUS=Verifying requests\n"
            case .reloading(let monotonic):
                "RELOADING=1\nMONOTONIC_USEC=\(monotonic.wholeMilliseconds * 1000)\n"
            case .stopping: "STOPPING=1\nSTATUS=Finishing what is in hand\n"
            case .alive: "WATCHDOG=1\n"
            }
        }
    }

    /// How long the manager waits for a slow reader at most.
    private static let sendSecondsMax = 2

    /// A path, or an abstract name behind an `@`.
    private let address: String
    /// After how long without ``Message/alive`` the manager takes the process for hung; nil when it
    /// does not watch.
    let watchdogTimeout: Duration?

    /// The manager that the environment names, if it names one.
    ///
    /// - Parameters:
    ///   - environment: `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` are looked at.
    ///   - processID: ours; a watchdog for another process is none for this.
    init?(environment: [String: String], processID: Int32 = getpid()) {
        guard let address = environment["NOTIFY_SOCKET"], !address.isEmpty else { return nil }
        self.address = address
        let isWatched = environment["WATCHDOG_PID"].map { $0 == String(processID) } ?? true
        let timeout = environment["WATCHDOG_USEC"].flatMap(Int64.init)
        watchdogTimeout = isWatched ? timeout.flatMap { $0 > 0 ? .microseconds($0) : nil } : nil
    }

    /// Sends a message.
    ///
    /// - Returns: whether it was sent; a manager that can't be reached is no reason to stop.
    func tell(_ message: Message) -> Bool {
        var name = Array(address.utf8)
        if name.first == UInt8(ascii: "@") { name[0] = 0 }
        var socketAddress = sockaddr_un()
        socketAddress.sun_family = sa_family_t(AF_UNIX)
        // sun_path holds 108 bytes; it is zeroed, and one zero must stay behind a path.
        guard name.count < MemoryLayout.size(ofValue: socketAddress.sun_path) else { return false }
        withUnsafeMutableBytes(of: &socketAddress.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)

        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: Self.sendSecondsMax, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience,
            socklen_t(MemoryLayout<timeval>.size))

        let text = Array(message.text.utf8)
        let sent = withUnsafePointer(to: &socketAddress) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
        return sent == text.count
    }
}
