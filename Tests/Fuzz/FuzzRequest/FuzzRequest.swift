import Foundation
import FuzzDriver
import RecordedVectors
import Wire

/// No value traps; what is taken for a request is the same object for Foundation; verdicts and dead
/// letters can be made for each.
@main
struct FuzzRequest {
    private static let structured = Header(
        name: "content-type", text: "application/cloudevents+json")

    nonisolated static func main() throws {
        let seeds = try RecordedVectors.all().flatMap(messages)
        try FuzzDriver.run(seeds: seeds) { bytes in
            for headers in [[], [structured]] {
                check(bytes, headers)
            }
        }
    }

    private static func check(_ bytes: [UInt8], _ headers: [Header]) {
        let limits = MessageLimits()
        switch RequestMessage.decode(value: bytes, headers: headers, limits: limits) {
        case .request(let request):
            precondition((1...limits.objectBytesMax).contains(request.object.count))
            precondition(isObject(bytes))
        case .service(let request):
            precondition(isObject(bytes))
            precondition(request.kind != .registration && request.kind != .assertion)
        case .unjudgeable(let refusal):
            precondition(isExcused(bytes) || isObject(bytes))
            precondition(refusal.detail.utf8.allSatisfy { (0x20...0x7E).contains($0) })
        case .unreadable(let record):
            precondition(!record.message.isEmpty)
        }
    }

    /// Foundation refuses half a surrogate pair, and what nests deeper than a limit of its own.
    private static func isExcused(_ bytes: [UInt8]) -> Bool {
        let opening = bytes.count { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
        let escapes = zip(bytes, bytes.dropFirst()).contains {
            $0 == UInt8(ascii: "\\") && $1 == UInt8(ascii: "u")
        }
        return opening > 100 || escapes
    }

    private static func isObject(_ bytes: [UInt8]) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(bytes))) is [String: Any]
    }

    /// A vector in the plain and the Capgo dialect, bare and as a structured event.
    private static func messages(_ vector: RecordedVector) -> [[UInt8]] {
        guard let object = vector.attestation ?? vector.assertion, let keyID = vector.keyID,
            let hash = vector.clientDataHash
        else { return [] }
        let (key, bytes) = (keyID.base64EncodedString(), object.base64EncodedString())
        let name = vector.attestation == nil ? "assertion" : "attestation"
        let plain =
            #"{"requestId":"r","keyId":"\#(key)","\#(name)":"\#(bytes)","#
            + #""clientDataHash":"\#(hash.base64EncodedString())"}"#
        let text = vector.attestation == nil ? "payload" : "challenge"
        let capgo =
            #"{"platform":"ios","format":"apple-app-attest","keyId":"\#(key)","#
            + #""\#(text)":"a\u0062\n","token":"\#(bytes)","subject":"\ud83d\ude00"}"#
        let kind = vector.attestation == nil ? "assertion" : "registration"
        let event =
            #"{"specversion":"1.0","id":"r","source":"//g","#
            + #""type":"attest.\#(kind).requested.v1","#
            + #""data":\#(plain)}"#
        return [plain, capgo, event].map { Array($0.utf8) }
    }
}
