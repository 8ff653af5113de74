package import AppAttest
internal import FoundationEssentials
internal import LibCrypto

/// What a record of the verdict topic tells of a key.
///
/// The topic is written by workers only, so this is no judge: what is not as ``Verdict/encode()``
/// writes it tells nothing.
package enum TopicVerdict: Hashable, Sendable {
    /// An accepted registration or assertion: the key's sign count is at least this. The place is
    /// that of the request; nil where it can't be read.
    case accepted(KeyID, signCount: UInt32, source: RecordPlace?)
    /// A verdict that accepts no key's object.
    case rejected
    /// No verdict, or one that can't be read.
    case unreadable

    /// The most bytes of a verdict; those that are written have a few hundred.
    package static let valueBytesMax = 64 * 1024

    /// Reads a record's value; nil is Kafka's null.
    package init(value: [UInt8]?) {
        guard let value, value.count <= Self.valueBytesMax,
            let fields = try? JSONDecoder().decode(Fields.self, from: Data(value))
        else {
            self = .unreadable
            return
        }
        let keyID = fields.keyId.flatMap { Base64.decode($0) }.flatMap { Digest32($0) }
        switch (fields.outcome, keyID, fields.signCount) {
        case ("rejected", _, _): self = .rejected
        // What the worker serves itself accepts no key.
        case ("accepted", nil, nil)
        where [RequestKind.challenge, .consume].contains { $0.rawValue == fields.type }:
            self = .rejected
        case ("accepted", let keyID?, let count?):
            self = .accepted(KeyID(keyID), signCount: count, source: fields.source?.place)
        default: self = .unreadable
        }
    }

    private struct Fields: Decodable {
        var outcome: String
        var type: String?
        var keyId: String?
        var signCount: UInt32?
        var source: Source?
    }

    private struct Source: Decodable {
        var topic: String
        var partition: Int32
        var offset: Int64

        var place: RecordPlace { RecordPlace(topic: topic, partition: partition, offset: offset) }
    }
}
