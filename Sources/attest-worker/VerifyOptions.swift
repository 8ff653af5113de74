import AppAttest
import Wire
import Worker

/// The command line of `verify`.
struct VerifyOptions: Hashable {
    /// What is wrong with a command line.
    struct Mistake: Error, Hashable {
        /// One sentence without the program's name.
        let message: String
    }

    /// The app the object must belong to.
    private(set) var appID = ""
    /// Apple's environments whose keys are taken, in the order given.
    private(set) var environments: [AttestationEnvironment] = []
    /// The instant at which to judge; nil is now.
    private(set) var instant: Instant?
    /// The stored public key, X9.63 uncompressed.
    private(set) var publicKey: [UInt8]?
    /// The stored sign count.
    private(set) var signCount: UInt32?
    /// Whether a receipt is to be judged.
    private(set) var judgesReceipt = false
    /// A PEM file with a root of receipts to trust in place of Apple's.
    private(set) var receiptTrustAnchorPath: String?
    /// A PEM file with a root to trust in place of Apple's.
    private(set) var trustAnchorPath: String?
    /// The request's file; nil is standard input.
    private(set) var path: String?

    /// Reads a command line.
    ///
    /// - Parameter arguments: what stands behind `verify`.
    /// - Throws: the first mistake.
    init(_ arguments: [String]) throws(Mistake) {
        var rest = arguments[...]
        var operands: [String] = []
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else {
                operands.append(argument)
                continue
            }
            guard argument != "--receipt" else {
                judgesReceipt = true
                continue
            }
            let parts = argument.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false
            ).map(String.init)
            guard let value = parts.count == 2 ? parts.last : rest.popFirst() else {
                throw Mistake(message: "\(argument) must have a value")
            }
            try take(parts[0], value)
        }
        guard operands.count <= 1 else {
            throw Mistake(message: "there is one request at a time, not \(operands.count)")
        }
        path = operands.first == "-" ? nil : operands.first
        guard !appID.isEmpty else { throw Mistake(message: "--app-id must be given") }
        guard judgesReceipt || (publicKey == nil) == (signCount == nil) else {
            throw Mistake(message: "--public-key and --sign-count belong together")
        }
        if environments.isEmpty { environments = [.production] }
    }

    private mutating func take(_ flag: String, _ value: String) throws(Mistake) {
        switch flag {
        case "--app-id":
            let parts = value.split(separator: ".", maxSplits: 1)
            guard parts.count == 2, value.utf8.count <= Request.textBytesMax else {
                throw Mistake(message: "--app-id must be a team id, a dot and a bundle identifier")
            }
            appID = value
        case "--environment":
            guard let environment = AttestationEnvironment(rawValue: value) else {
                throw Mistake(message: "--environment must be production or development")
            }
            environments.append(environment)
        case "--at":
            guard let instant = Instant(rfc3339: value) else {
                throw Mistake(message: "--at must be a time such as 2026-01-31T12:00:00Z")
            }
            self.instant = instant
        case "--public-key":
            guard let key = Base64.decode(value), key.count == 65, key.first == 0x04 else {
                throw Mistake(
                    message: "--public-key must be base64 of the 65 bytes of an uncompressed point")
            }
            publicKey = key
        case "--sign-count":
            guard let count = UInt32(value) else {
                throw Mistake(message: "--sign-count must be a whole number from 0 to 4294967295")
            }
            signCount = count
        case "--receipt-trust-anchor":
            receiptTrustAnchorPath = value
        case "--trust-anchor":
            trustAnchorPath = value
        default:
            throw Mistake(message: "there is no flag \(flag)")
        }
    }
}
