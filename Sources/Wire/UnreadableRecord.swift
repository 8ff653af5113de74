/// Why a record has no readable request in it.
///
/// It becomes a dead letter.
package enum UnreadableRecord: String, Error, Hashable, Sendable, CaseIterable {
    /// The value is null or empty.
    case emptyValue = "empty_value"
    /// The value is larger than the limit.
    case valueTooLarge = "value_too_large"
    /// The value is not UTF-8, not JSON, or not a JSON object.
    case notAJSONObject = "not_a_json_object"
    /// The CloudEvents envelope is broken: no `data`, an unknown `specversion` or type.
    case unreadableEnvelope = "unreadable_envelope"

    /// One sentence for a person.
    package var message: String {
        switch self {
        case .emptyValue: "The record has no value."
        case .valueTooLarge: "The record's value is larger than the limit."
        case .notAJSONObject: "The record's value is not a JSON object in UTF-8."
        case .unreadableEnvelope:
            "The record's CloudEvents envelope is incomplete or of a version that is not known."
        }
    }
}
