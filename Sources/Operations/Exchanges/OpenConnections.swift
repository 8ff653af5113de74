internal import Glibc
internal import Synchronization

/// The connections there are, and since when each has owed a whole request.
///
/// libmicrohttpd closes connections that are silent. One that sends a byte now and then is not, and
/// could be kept for hours; these are found here.
final class OpenConnections: Sendable {
    private struct Connection {
        let descriptor: Int32
        /// Since when a request is owed; nil while one is being answered.
        var since: ContinuousClock.Instant?
    }

    private let connections = Mutex<[UInt: Connection]>([:])
    private let lastID = Atomic<UInt>(0)

    /// A connection is there.
    ///
    /// - Returns: the number it is known by, never 0.
    func add(_ descriptor: Int32) -> UInt {
        let id = lastID.add(1, ordering: .relaxed).newValue
        connections.withLock {
            $0[id] = Connection(descriptor: descriptor, since: ContinuousClock.now)
        }
        return id
    }

    /// A connection is about to be closed.
    func remove(_ id: UInt) {
        connections.withLock { $0[id] = nil }
    }

    /// Its request has arrived, or has been answered, so that the next one is owed.
    func note(_ id: UInt, owesRequest: Bool) {
        connections.withLock { $0[id]?.since = owesRequest ? ContinuousClock.now : nil }
    }

    /// Ends connections that have owed a request for longer than that.
    ///
    /// - Returns: how many.
    func cut(after patience: Duration) -> Int {
        let now = ContinuousClock.now
        // Under the lock: a socket that is still in the table is not closed yet, so its number
        // can't be another's.
        return connections.withLock { connections in
            let slow = connections.filter { _, connection in
                connection.since.map { $0.duration(to: now) > patience } ?? false
            }
            for (id, connection) in slow {
                shutdown(connection.descriptor, Int32(SHUT_RDWR))
                connections[id]?.since = nil
            }
            return slow.count
        }
    }

    /// How many have a request that is being answered.
    var busyCount: Int { connections.withLock { $0.values.count { $0.since == nil } } }

    /// How many there are.
    var count: Int { connections.withLock { $0.count } }
}
