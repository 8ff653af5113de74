/// A system on which App Attest exists, as Apple's certificates name it.
package enum Platform: String, Hashable, Sendable, CaseIterable {
    /// iPhones and iPads.
    case iOS = "iphoneos"
    /// Macs, from macOS 27 on.
    case macOS = "macosx"
}
