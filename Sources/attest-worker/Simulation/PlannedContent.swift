import AppAttest
import AttestTestKit
import LibCrypto

/// Challenges and payloads, each another one, in the dialects that a plan speaks.
struct PlannedContent {
    private var count: UInt64 = 0
    private let seed: UInt64
    private let dialects: [PlanSettings.Dialect]

    /// - Parameters:
    ///   - seed: what the bytes follow from.
    ///   - dialects: spoken in turn; none is all.
    init(seed: UInt64, dialects: [PlanSettings.Dialect]) {
        self.seed = seed
        self.dialects = dialects.isEmpty ? PlanSettings.Dialect.allCases : dialects
    }

    /// 32 bytes that were not handed out before.
    mutating func bytes() -> [UInt8] {
        count += 1
        return SHA256.hash(Array("content \(seed) \(count)".utf8)).bytes
    }

    /// What a device attests to.
    mutating func registration() -> RegistrationContent {
        let bytes = bytes()
        return switch dialect {
        case .capgo: .capgo(challenge: hexadecimal(bytes))
        case .appCheck: .appCheck(challenge: bytes)
        case .plain where isHashed: .plainHash(ClientDataHash(hashing: bytes))
        case .plain: .plain(clientData: bytes)
        }
    }

    /// What a device signs; in place of App Check, whose assertions are not judged, plain.
    mutating func assertion() -> AssertionContent {
        let bytes = bytes()
        return switch dialect {
        case .capgo: .capgo(payload: #"{"pay":\#(count),"nonce":"\#(hexadecimal(bytes))"}"#)
        case .appCheck, .plain:
            isHashed ? .plainHash(ClientDataHash(hashing: bytes)) : .plain(clientData: bytes)
        }
    }

    private var dialect: PlanSettings.Dialect {
        dialects[Int(count % UInt64(dialects.count))]
    }

    /// Every other round of the dialects tells the hash alone.
    private var isHashed: Bool {
        count / UInt64(dialects.count) % 2 == 1
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
