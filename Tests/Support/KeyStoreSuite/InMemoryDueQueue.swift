internal import AppAttest
internal import Worker

/// Keys in the order in which their receipts are due: what stands for the index.
///
/// A binary heap; entries whose row has another time by now are dropped when they come up.
struct InMemoryDueQueue {
    private var heap: [(due: Instant, keyID: KeyID)] = []
    /// Rows were changed by others: the heap is to be built anew.
    var isStale = true

    /// Notes when a key is due.
    mutating func put(_ keyID: KeyID, _ due: Instant?) {
        guard let due, !isStale else { return }
        heap.append((due, keyID))
        var child = heap.count - 1
        while child > 0, heap[child].due < heap[(child - 1) / 2].due {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// The first keys that are due and of these apps, in order; they stay due.
    mutating func due(
        at now: Instant, limit: Int, in rows: InMemoryDatabase.Rows, _ appIDs: Set<String>
    ) -> [KeyID] {
        if isStale {
            heap = []
            isStale = false
            for (keyID, row) in rows.receipts { put(keyID, row.state.nextAttempt) }
        }
        var found: [(due: Instant, keyID: KeyID)] = []
        var others: [(due: Instant, keyID: KeyID)] = []
        // A key that got the same time twice has two entries.
        var seen: Set<KeyID> = []
        while found.count < limit, let first = heap.first, first.due <= now {
            removeFirst()
            guard let row = rows.receipts[first.keyID], row.state.nextAttempt == first.due,
                seen.insert(first.keyID).inserted
            else { continue }
            if appIDs.contains(row.appID), !row.isUntold {
                found.append(first)
            } else {
                others.append(first)
            }
        }
        for entry in found + others { put(entry.keyID, entry.due) }
        return found.map(\.keyID)
    }

    private mutating func removeFirst() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        var parent = 0
        while true {
            // No loop over both: it would cost half of a long simulation without optimization.
            let left = 2 * parent + 1
            let right = left + 1
            var least = parent
            if left < heap.count, heap[left].due < heap[least].due { least = left }
            if right < heap.count, heap[right].due < heap[least].due { least = right }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
