import AppAttest
import AttestTestKit
import BenchmarkSupport
import Foundation
import Harness
import LibCrypto
import SeededNumbers

/// Honest assertions of registered devices, made before the clock starts.
final class Traffic {
    /// How often each device is chosen.
    enum Skew: String, CaseIterable {
        /// Each as often as any other.
        case even
        /// The k-th in proportion to k to the power of minus 1.1, as keys of a real app are.
        case zipf
    }

    /// The app that all devices run.
    static let appID = "TESTTEAM01.com.example.benchmark"
    private static let exponent = 1.1

    private var devices: [SimulatedDevice]
    private var random = SplitMix64(seed: 5)
    private var shares: [Double] = []
    /// How many requests were made so far; they are called by their numbers, from 1.
    private(set) var made = 0
    private let authority: TestAuthority

    /// Makes devices.
    ///
    /// - Parameters:
    ///   - deviceCount: how many.
    ///   - skew: how often each of them asks.
    init(deviceCount: Int, skew: Skew) {
        let authority = TestAuthority(seed: 5)
        self.authority = authority
        devices = (0..<deviceCount).map { number in
            SimulatedDevice(seed: UInt64(number), appID: Self.appID, authority: authority)
        }
        guard skew == .zipf else { return }
        var sum = 0.0
        for place in 1...deviceCount {
            sum += pow(Double(place), -Self.exponent)
            shares.append(sum)
        }
    }

    /// What the worker is told of the app.
    var app: WorkerSettings.App {
        WorkerSettings.App(
            appId: Self.appID, trustAnchor: certificatePEM(authority.rootCertificate),
            simulated: true)
    }

    /// A line for each key as `COPY attest.keys` takes it.
    var keyLines: String {
        devices.map { device in
            "\\\\x\(hex(SHA256.hash(device.publicKey).bytes))\t\(Self.appID)\tproduction\t\\\\x"
                + "\(hex(device.publicKey))\t0\tactive\tsimulated\n"
        }.joined()
    }

    /// The next requests, each to be accepted.
    ///
    /// - Parameters:
    ///   - count: how many.
    ///   - padding: bytes that each carries beside what it needs.
    /// - Returns: the records, in the order in which they must be sent.
    func next(_ count: Int, padding: Int = 0) -> [SentRecord] {
        let note = padding > 0 ? #","note":"\#(String(repeating: "n", count: padding))""# : ""
        return (0..<count).map { _ in
            made += 1
            let payload =
                #"{"challenge":"\#(hex(random.bytes(16)))","action":"transfer"\#(note)}"#
            let content = AssertionContent.capgo(payload: payload)
            let assertion = devices[nextPlace()].assert(clientDataHash: content.clientDataHash)
            let message = MintedRequest(assertion: assertion, content, requestID: "request-\(made)")
            return SentRecord(key: Array(message.recordKey.utf8), value: message.json)
        }
    }

    /// The limit: a bare verification of one of these assertions.
    func bareVerification() throws -> BareVerification {
        let content = AssertionContent.plain(clientData: [1])
        let device = devices[0]
        let assertion = device.assert(clientDataHash: content.clientDataHash, signCount: 1)
        let parts = try AssertionObject(parsing: assertion.object)
        let nonce = SHA256.hash(Array(parts.authenticatorData), content.clientDataHash.bytes)
        let bare = BareVerification(
            point: device.publicKey, signature: Array(parts.signature), message: nonce.bytes)
        guard let bare, bare.run() else {
            throw HarnessFailure("libcrypto refuses the assertion that the limit is taken with")
        }
        return bare
    }

    private func nextPlace() -> Int {
        guard let sum = shares.last else { return made % devices.count }
        let point = Double.random(in: 0..<sum, using: &random)
        var (low, high) = (0, shares.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if shares[middle] <= point { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Bytes as lower case hexadecimal digits.
private func hex(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
        decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
