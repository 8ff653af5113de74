/// A map whose keys are text or integers and occur once each.
package struct CBORMap: Hashable, Sendable {
    /// A map's key.
    package enum Key: Hashable, Sendable {
        /// A non-negative integer.
        case unsigned(UInt64)
        /// The integer -1 - n, of which n is held.
        case negative(UInt64)
        /// Text, as its UTF-8 bytes.
        case text(ArraySlice<UInt8>)
    }

    /// One pair of a map.
    package struct Entry: Hashable, Sendable {
        /// The key.
        package let key: Key
        /// The value.
        package let value: CBORItem

        /// A pair from its parts.
        package init(key: Key, value: CBORItem) {
            self.key = key
            self.value = value
        }
    }

    /// The pairs in the order of the bytes.
    package private(set) var entries: [Entry]

    /// A map of pairs whose keys are known to differ; the reader adds them one by one.
    package init(entries: [Entry] = []) {
        self.entries = entries
    }

    /// The value of a text key, or nil.
    package subscript(key: String) -> CBORItem? {
        for entry in entries {
            if case .text(let text) = entry.key, text.spells(key) { return entry.value }
        }
        return nil
    }

    /// The value of an integer key, or nil.
    package subscript(key: Key) -> CBORItem? {
        entries.first { $0.key == key }?.value
    }

    /// Whether all keys are text.
    package var hasOnlyTextKeys: Bool {
        entries.allSatisfy { entry in
            if case .text = entry.key { true } else { false }
        }
    }

    /// Adds a pair, unless its key is there already.
    ///
    /// - Returns: whether it was added.
    mutating func add(_ key: Key, _ value: CBORItem) -> Bool {
        // The number of entries is bounded by `CBORReader.itemCountMax`.
        guard self[key] == nil else { return false }
        entries.append(Entry(key: key, value: value))
        return true
    }
}
