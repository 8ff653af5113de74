import FoundationEssentials

/// A verdict as a consumer reads it: only what the schema promises.
struct ReceivedVerdict: Decodable, Hashable, Sendable {
    let verdictId: String
    let requestId: String?
    let type: String?
    let outcome: String
    let reason: String?
    let keyId: String?
    let signCount: UInt32?
    let reattested: Bool?
    let simulated: Bool?
    let source: Source

    /// Where the request lies.
    struct Source: Decodable, Hashable, Sendable {
        let topic: String
        let partition: Int32
        let offset: Int64
    }

    /// Reads a verdict record's value; nil if it is none.
    static func decode(_ value: [UInt8]?) -> ReceivedVerdict? {
        value.flatMap { try? JSONDecoder().decode(ReceivedVerdict.self, from: Data($0)) }
    }
}
