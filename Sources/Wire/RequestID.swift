/// A request id as the gateway minted it: 1 to 128 bytes of UTF-8 without control characters.
package struct RequestID: Hashable, Sendable {
    /// The most bytes of UTF-8.
    package static let bytesMax = 128

    /// The text as it was sent.
    package let text: String

    /// Checks the rule; nil when it is broken.
    package init?(_ text: String) {
        guard Request.isLabel(text, bytesMax: Self.bytesMax) else { return nil }
        self.text = text
    }

    /// Equal byte for byte: as strings, two ids of other bytes may be canonically equivalent.
    package static func == (left: RequestID, right: RequestID) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Feeds the bytes to the hasher.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(Array(text.utf8))
    }
}
