/// A token as a verdict has it.
package struct IssuedToken: Hashable, Sendable {
    /// The token: a secret of whoever made the request.
    package let text: String
    /// Whether it is for limited use.
    package let isForLimitedUse: Bool

    /// A token from its parts.
    package init(_ text: String, isForLimitedUse: Bool) {
        self.text = text
        self.isForLimitedUse = isForLimitedUse
    }
}

extension IssuedToken {
    /// Whether there is a token in a verdict.
    ///
    /// - Parameter verdict: the bytes of ``Verdict/encode()``.
    /// - Returns: whether a member of this name begins there; inside of texts each quotation mark
    ///   has a backslash before it.
    package static func isPresent(in verdict: [UInt8]) -> Bool {
        verdict.contains(Array(#""token":""#.utf8))
    }
}

extension IssuedToken: CustomStringConvertible, CustomReflectable {
    /// Which kind it is, and nothing of it.
    package var description: String { isForLimitedUse ? "a token for limited use" : "a token" }
    /// Has no children, so that `dump` does not tell it.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
