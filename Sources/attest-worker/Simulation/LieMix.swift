import SeededNumbers

/// How large a share of requests each kind beside honest assertions has.
struct LieMix: Hashable, Sendable {
    /// A kind's share.
    struct Share: Hashable, Sendable {
        let kind: PlannedKind
        /// Of a million requests so many.
        let millionths: Int
    }

    /// In the order of the kinds' names.
    let shares: [Share]

    /// All there is, in millionths.
    private static let whole = 1_000_000

    /// A mix that is read from the command line.
    ///
    /// - Parameter text: `replay=1%,forged=0.5%`, `none`; each name once, all together at most
    ///   100 %.
    init?(_ text: String) {
        guard text != "none" else {
            shares = []
            return
        }
        var shares: [String: Int] = [:]
        for entry in text.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = entry.split(separator: "=", omittingEmptySubsequences: false)
            guard parts.count == 2, let name = parts.first.map(String.init),
                PlannedKind.byFlag[name] != nil, shares[name] == nil,
                let share = parts.last.flatMap(Self.millionths)
            else { return nil }
            shares[name] = share
        }
        guard shares.values.reduce(0, +) <= Self.whole else { return nil }
        self.shares = shares.sorted { $0.key < $1.key }.compactMap { name, share in
            PlannedKind.byFlag[name].map { Share(kind: $0, millionths: share) }
        }
    }

    /// `1%`, `0.25%`: up to four digits behind the point.
    private static func millionths(_ text: Substring) -> Int? {
        guard text.hasSuffix("%") else { return nil }
        let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? parts[1] : "0"
        let isDecimal = parts.allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        }
        guard isDecimal, (1...2).contains(parts.count), fraction.count <= 4,
            let whole = parts.first.flatMap({ Int($0) }), whole <= 100,
            let part = Int(fraction + String(repeating: "0", count: 4 - fraction.count))
        else { return nil }
        let millionths = whole * 10_000 + part
        return millionths <= Self.whole ? millionths : nil
    }

    /// The kind of the next request.
    func next(_ random: inout SplitMix64) -> PlannedKind {
        var point = Int.random(in: 0..<Self.whole, using: &random)
        for share in shares {
            if point < share.millionths { return share.kind }
            point -= share.millionths
        }
        return .assertion
    }
}

extension PlannedKind {
    /// Its name on the command line; nil where it can't be asked for: honest kinds come anyway,
    /// what depends on the clock or on the dead letter topic needs a worker of one's own.
    var flag: String? {
        switch self {
        case .registration, .assertion, .tooOld, .fromTheFuture, .garbage: nil
        case .reattestation: "reattested"
        case .repeated: "repeated"
        case .replay: "replay"
        case .reusedRequestID: "conflict"
        case .forgedSignature: "forged"
        case .wrongPayload: "payload"
        case .otherAppAssertion: "app"
        case .otherSubject: "subject"
        case .unknownKey: "unknown"
        case .forgedChain: "root"
        case .expiredCertificate: "expired"
        case .wrongChallenge: "challenge"
        case .otherAppAttestation: "attested-app"
        case .developmentKey: "development"
        case .otherPlatform: "platform"
        case .malformed: "malformed"
        }
    }

    /// The kinds by their names on the command line.
    static let byFlag = Dictionary(
        PlannedKind.allCases.compactMap { kind in kind.flag.map { ($0, kind) } }
    ) { first, _ in first }
}
