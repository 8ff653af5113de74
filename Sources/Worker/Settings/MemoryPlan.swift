/// How the memory for records is shared out among the lanes of a process.
///
/// Of a lane's share comes first what a batch takes, as records, as requests and as answers on
/// their way; then what its brokers may send at one moment, as nothing stops an answer that was
/// asked for; the rest may be fetched ahead. librdkafka counts what is fetched ahead over all
/// partitions of a consumer together, so their number does not matter.
package struct MemoryPlan: Hashable, Sendable {
    /// The most bytes that one lane fetches ahead.
    package let prefetchBytesMax: Int
    /// The most bytes of one answer of a broker to one lane; a larger record still comes, alone.
    package let fetchBytesMax: Int
    /// The bytes that all lanes hold together at the most.
    package let neededBytes: Int
    /// Whether they are within the budget.
    package let isKept: Bool

    /// How many brokers are taken to answer a lane at one moment.
    package static let brokersAnswering = 3
    /// How often a batch's bytes are held.
    package static let copiesOfBatch = 3
    /// The least of an answer; librdkafka wants it to be no less than `message.max.bytes`.
    package static let fetchBytesMin = 1 << 20
    /// The least that is fetched ahead.
    package static let prefetchBytesMin = 1 << 20
    /// librdkafka's own limit of an answer.
    package static let fetchBytesStandard = 52_428_800

    /// Shares the budget of the settings out.
    ///
    /// - Parameters:
    ///   - settings: the budget, and what wants a part of it.
    ///   - lanes: how many lanes there are, at least one.
    package init(_ settings: Settings, lanes: Int) {
        let worker = settings.worker
        let share = worker.memoryBudget / max(1, lanes)
        let batch = Self.copiesOfBatch * worker.limits.batch.bytesMax
        let rest = max(0, share - batch)
        let messageBytes = settings.kafka.properties["message.max.bytes"].flatMap { Int($0) } ?? 0
        let least = max(Self.fetchBytesMin, min(messageBytes, Self.fetchBytesStandard))
        fetchBytesMax = max(least, min(Self.fetchBytesStandard, rest / 8))
        let answers = Self.brokersAnswering * fetchBytesMax
        prefetchBytesMax = max(
            Self.prefetchBytesMin, min(settings.kafka.prefetchBytesMax, rest - answers))
        neededBytes = max(1, lanes) * (batch + answers + prefetchBytesMax)
        isKept = neededBytes <= worker.memoryBudget
    }
}
