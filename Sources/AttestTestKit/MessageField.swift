import AppAttest
import FoundationEssentials
import LibCrypto

/// The value of a field in a request message.
enum MessageField: Encodable {
    /// A string as it is.
    case text(String)
    /// Bytes as standard base64 with padding.
    case base64([UInt8])
    /// A boolean.
    case flag(Bool)

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .base64(let bytes): try container.encode(Data(bytes).base64EncodedString())
        case .flag(let flag): try container.encode(flag)
        }
    }
}

extension KeyID {
    /// The 32 bytes.
    var bytes: [UInt8] {
        digest.bytes
    }
}
