/// What is wrong with an attestation object's structure.
public enum AttestationFault: Error, Hashable, Sendable {
    /// A part of the object.
    public enum Part: String, Hashable, Sendable, CaseIterable {
        /// `fmt`, text.
        case format = "fmt"
        /// `attStmt`, a map.
        case statement = "attStmt"
        /// `attStmt.x5c`, an array of byte strings.
        case certificates = "x5c"
        /// `attStmt.receipt`, a byte string.
        case receipt
        /// `authData`, a byte string.
        case authenticatorData = "authData"
    }

    /// The object is not a map with text keys.
    case notAMap
    /// A part is missing.
    case missing(Part)
    /// A part is of another type, or is a map with a key that is no text.
    case wrongType(Part)
    /// There are not exactly two certificates.
    case certificateCount(Int)
}

extension AttestationFault: CustomStringConvertible {
    /// A few words without a byte of the object.
    public var description: String {
        switch self {
        case .notAMap: "not a map with text keys"
        case .missing(let part): "\(part.rawValue) is missing"
        case .wrongType(let part): "\(part.rawValue) is of another type"
        case .certificateCount(let count): "\(count) certificates"
        }
    }
}
