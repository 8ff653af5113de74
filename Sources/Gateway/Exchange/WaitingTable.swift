/// The sent records that wait for their verdicts, of which there is a bounded number.
///
/// A value; time comes in with each question.
package struct WaitingTable<Waiter: Sendable>: Sendable {
    private struct Entry {
        let waiter: Waiter
        let deadline: Duration
    }

    private let most: Int
    private var entries: [SendID: Entry] = [:]
    /// In the order in which they came, which is that of their deadlines; what was answered is
    /// found out when its turn comes.
    private var order: [SendID] = []
    private var head = 0

    /// A table for at most so many.
    package init(most: Int) {
        self.most = most
    }

    /// How many wait.
    package var count: Int { entries.count }

    /// Lets one wait.
    ///
    /// - Parameters:
    ///   - id: what no other has or had.
    ///   - waiter: who gets the answer.
    ///   - deadline: until when; never before that of the one added last.
    /// - Returns: false where the table is full.
    package mutating func add(_ id: SendID, _ waiter: Waiter, until deadline: Duration) -> Bool {
        guard count < most else { return false }
        entries[id] = Entry(waiter: waiter, deadline: deadline)
        order.append(id)
        return true
    }

    /// Takes out who waits under an id.
    package mutating func take(_ id: SendID) -> Waiter? {
        entries.removeValue(forKey: id)?.waiter
    }

    /// Takes out those whose time is over.
    package mutating func takeExpired(now: Duration) -> [Waiter] {
        var expired: [Waiter] = []
        while head < order.count {
            let id = order[head]
            if let entry = entries[id] {
                guard entry.deadline <= now else { break }
                entries[id] = nil
                expired.append(entry.waiter)
            }
            head += 1
        }
        // Each is moved once for each time the list has doubled.
        if head > order.count / 2 {
            order.removeFirst(head)
            head = 0
        }
        return expired
    }

    /// Takes out all.
    package mutating func takeAll() -> [Waiter] {
        let all = entries.values.map(\.waiter)
        self = WaitingTable(most: most)
        return all
    }
}
