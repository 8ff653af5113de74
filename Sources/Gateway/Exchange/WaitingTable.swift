package import Wire

/// The requests that wait for their verdicts, of which there is a bounded number.
///
/// One id may have several that wait: a caller who repeats a request before it is answered. A
/// value; time comes in with each question.
package struct WaitingTable<Waiter: Sendable>: Sendable {
    private struct Entry {
        let number: UInt64
        let waiter: Waiter
        let deadline: Duration
    }

    private let most: Int
    private var entries: [RequestID: [Entry]] = [:]
    /// In the order in which they came, which is that of their deadlines; what was answered is
    /// found out when its turn comes.
    private var order: [(id: RequestID, number: UInt64)] = []
    private var head = 0
    private var lastNumber: UInt64 = 0
    /// How many wait.
    package private(set) var count = 0

    /// A table for at most so many.
    package init(most: Int) {
        self.most = most
    }

    /// Lets one wait.
    ///
    /// - Parameters:
    ///   - id: the request's.
    ///   - waiter: who gets the answer.
    ///   - deadline: until when; never before that of the one added last.
    /// - Returns: false where the table is full.
    package mutating func add(_ id: RequestID, _ waiter: Waiter, until deadline: Duration) -> Bool {
        guard count < most else { return false }
        count += 1
        lastNumber += 1
        entries[id, default: []].append(
            Entry(number: lastNumber, waiter: waiter, deadline: deadline))
        order.append((id, lastNumber))
        return true
    }

    /// Takes out all that wait for an id.
    package mutating func take(_ id: RequestID) -> [Waiter] {
        let found = entries.removeValue(forKey: id) ?? []
        count -= found.count
        return found.map(\.waiter)
    }

    /// Takes out those whose time is over.
    package mutating func takeExpired(now: Duration) -> [(id: RequestID, waiter: Waiter)] {
        var expired: [(id: RequestID, waiter: Waiter)] = []
        while head < order.count {
            let (id, number) = order[head]
            if let place = entries[id]?.firstIndex(where: { $0.number == number }) {
                guard let entry = entries[id]?[place], entry.deadline <= now else { break }
                entries[id]?.remove(at: place)
                if entries[id]?.isEmpty ?? false { entries[id] = nil }
                count -= 1
                expired.append((id, entry.waiter))
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
        let all = entries.values.flatMap { $0.map(\.waiter) }
        self = WaitingTable(most: most)
        return all
    }
}
