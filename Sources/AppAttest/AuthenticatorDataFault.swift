/// What is wrong with authenticator data.
public enum AuthenticatorDataFault: Error, Hashable, Sendable {
    /// The bytes end before a fixed part does.
    case truncated
    /// The COSE key is not a CBOR map of the strict subset.
    case key(CBORFault?)
    /// What follows is not exactly one CBOR map of the strict subset.
    case extensions(CBORFault?)
    /// The extension map has a key that is no text.
    case extensionKeyType
    /// The flag ED is set and no extensions follow.
    case extensionsMissing
    /// A known extension has another type or size than it must have.
    case extensionValue(SignedExtensions.Name)
}

extension AuthenticatorDataFault: CustomStringConvertible {
    /// A few words without a byte of the object.
    public var description: String {
        switch self {
        case .truncated: "too short"
        case .key(let fault): "the key is no map" + (fault.map { ": \($0)" } ?? "")
        case .extensions(let fault): "the extensions are no map" + (fault.map { ": \($0)" } ?? "")
        case .extensionKeyType: "an extension's name is no text"
        case .extensionsMissing: "flag ED without extensions"
        case .extensionValue(let name): "\(name.rawValue) is of another type or size"
        }
    }
}
