import AppAttest
import AttestTestKit
import LibCrypto

/// Challenges and payloads, each another one, in all dialects that the worker judges.
struct DemoContent {
    private var count: UInt64 = 0
    private let seed: UInt64

    init(seed: UInt64) {
        self.seed = seed
    }

    /// 32 bytes that were not handed out before.
    mutating func bytes() -> [UInt8] {
        count += 1
        return SHA256.hash(Array("demo \(seed) \(count)".utf8)).bytes
    }

    /// What a device attests to.
    mutating func registration() -> RegistrationContent {
        let bytes = bytes()
        return switch count % 4 {
        case 0: .capgo(challenge: hexadecimal(bytes))
        case 1: .plain(clientData: bytes)
        case 2: .appCheck(challenge: bytes)
        default: .plainHash(ClientDataHash(hashing: bytes))
        }
    }

    /// What a device signs.
    mutating func assertion() -> AssertionContent {
        let bytes = bytes()
        return switch count % 3 {
        case 0:
            .capgo(payload: #"{"pay":\#(count),"nonce":"\#(hexadecimal(bytes))"}"#)
        case 1: .plain(clientData: bytes)
        default: .plainHash(ClientDataHash(hashing: bytes))
        }
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
