/// What is wrong with an assertion object's structure.
public enum AssertionFault: Error, Hashable, Sendable {
    /// A part of the object.
    public enum Part: String, Hashable, Sendable, CaseIterable {
        /// `signature`, a byte string.
        case signature
        /// `authenticatorData`, a byte string.
        case authenticatorData
    }

    /// The object is not a map with text keys.
    case notAMap
    /// A part is missing.
    case missing(Part)
    /// A part is of another type.
    case wrongType(Part)
}

extension AssertionFault: CustomStringConvertible {
    /// A few words without a byte of the object.
    public var description: String {
        switch self {
        case .notAMap: "not a map with text keys"
        case .missing(let part): "\(part.rawValue) is missing"
        case .wrongType(let part): "\(part.rawValue) is of another type"
        }
    }
}
