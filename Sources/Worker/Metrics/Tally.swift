/// How often each of a few values came: counted here first, so that a series is looked up once a
/// batch instead of once a record.
struct Tally<Key: Hashable> {
    /// Each value with its count, in the order of their first coming.
    private(set) var entries: [(key: Key, count: Int)] = []
    private var places: [Key: Int] = [:]
    private var last = 0

    /// Nothing came yet.
    init() {}

    /// Counts a value, most likely the same as the one before.
    mutating func add(_ key: Key, _ amount: Int = 1) {
        if last < entries.count, entries[last].key == key {
            entries[last].count += amount
            return
        }
        last = places[key] ?? entries.count
        guard last == entries.count else {
            entries[last].count += amount
            return
        }
        places[key] = last
        entries.append((key, amount))
    }
}
