/// A CloudEvent in structured mode: one JSON object that holds attributes and data.
struct StructuredEvent {
    /// The event's id; nil where it can't be told.
    let id: String?
    /// The event's type.
    let type: String
    /// The text of the data.
    let data: [UInt8]

    /// Reads the attributes that CloudEvents requires, and the data.
    ///
    /// - Throws: `.unreadableEnvelope` where one is missing, the version is not 1.0, or there are
    ///   not either `data`, an object, or `data_base64`.
    init(_ event: JSONObjectText) throws(UnreadableRecord) {
        guard event["specversion"] == .text("1.0"), case .text(let type) = event["type"],
            case .text(let source) = event["source"], !type.isEmpty, !source.isEmpty
        else { throw .unreadableEnvelope }
        self.type = type
        switch event["id"] {
        case .text(let text): id = text
        case .ambiguous: id = nil
        case .absent, .boolean, .object, .other: throw .unreadableEnvelope
        }
        switch (event["data"], event["data_base64"]) {
        case (.object(let object), .absent):
            data = object
        case (.absent, .text(let text)):
            guard let bytes = Base64.decode(text) else { throw .unreadableEnvelope }
            data = bytes
        default:
            throw .unreadableEnvelope
        }
    }
}
