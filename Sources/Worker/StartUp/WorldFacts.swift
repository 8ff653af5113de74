/// Settings that a server has in force, or why it did not tell them.
package enum Configuration: Hashable, Sendable {
    /// The names and values in force; values that the server keeps secret are left out.
    case known([String: String])
    /// The server did not tell: it is too old, we may not ask, or it took too long.
    case notAnswered(code: String)

    /// The value of a name; nil if it was not told.
    subscript(name: String) -> String? {
        switch self {
        case .known(let values): values[name]
        case .notAnswered: nil
        }
    }
}

/// What the brokers tell of themselves and of our topics.
package struct ClusterFacts: Hashable, Sendable {
    /// A topic that is there.
    package struct Topic: Hashable, Sendable {
        /// How many partitions it has.
        package let partitions: Int
        /// How it is configured.
        package let configuration: Configuration

        /// A topic from its parts.
        package init(partitions: Int, configuration: Configuration) {
            self.partitions = partitions
            self.configuration = configuration
        }
    }

    /// How many brokers there are.
    package var brokerCount: Int
    /// How one of them is configured.
    package var broker: Configuration
    /// Our topics that are there, by name.
    package var topics: [String: Topic]

    /// Facts from their parts.
    package init(brokerCount: Int, broker: Configuration, topics: [String: Topic]) {
        self.brokerCount = brokerCount
        self.broker = broker
        self.topics = topics
    }
}

/// What the database server tells of itself.
package struct DatabaseFacts: Hashable, Sendable {
    /// `synchronous_commit` in a session of the worker's role.
    package let synchronousCommit: String
    /// Whether the server writes commits through to the disk: `fsync`.
    package let writesThrough: Bool
    /// How many further sessions it takes of an ordinary role.
    package let sessionsFree: Int

    /// Facts from their parts.
    package init(synchronousCommit: String, writesThrough: Bool, sessionsFree: Int) {
        self.synchronousCommit = synchronousCommit
        self.writesThrough = writesThrough
        self.sessionsFree = sessionsFree
    }
}

/// What this process has to live on.
package struct ProcessFacts: Hashable, Sendable {
    /// How many lanes it runs.
    package let lanes: Int
    /// The most memory it may use, in bytes; nil where that can't be learned.
    package let memoryBytesMax: Int64?

    /// Facts from their parts.
    package init(lanes: Int, memoryBytesMax: Int64?) {
        self.lanes = lanes
        self.memoryBytesMax = memoryBytesMax
    }
}
