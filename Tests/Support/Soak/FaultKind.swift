/// The faults that happen at random moments.
enum FaultKind: String, CaseIterable, Sendable {
    // Workers.
    case kill, freeze, stop, add, remove, hangup, rewind
    // The broker.
    case cut, lostAcks = "lost-acks", errors, slow, leader, coordinator
    // The database.
    case restart, crash, readonly, inDoubt = "in-doubt", silent, terminate, locks
    case statements

    /// What is struck.
    ///
    /// Faults of different areas overlap; those of one come one after the other.
    enum Area: CaseIterable, Sendable {
        case workers, broker, database

        /// The shortest and the longest pause between two faults, in seconds.
        var pauses: ClosedRange<Double> {
            switch self {
            // A join of the mock takes 3 s, the eviction of a killed member 6 to 17 s.
            case .workers: 4...16
            case .broker: 6...18
            case .database: 5...15
            }
        }
    }

    /// What it strikes.
    var area: Area {
        switch self {
        case .kill, .freeze, .stop, .add, .remove, .hangup, .rewind: .workers
        case .cut, .lostAcks, .errors, .slow, .leader, .coordinator: .broker
        case .restart, .crash, .readonly, .inDoubt, .silent, .terminate, .locks, .statements:
            .database
        }
    }
}
