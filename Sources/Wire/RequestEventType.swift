/// A CloudEvents type that announces a request: `….attest.registration.requested.v1`.
///
/// What stands before `attest` is the gateway's own, a reversed domain name as a rule.
struct RequestEventType {
    /// The kind it announces.
    let kind: RequestKind
    /// Whether it is of the major version that this code reads.
    let isCurrent: Bool

    /// Reads a type; nil where it is none of ours, and then says nothing about the request.
    init?(_ type: String) {
        let parts = type.split(separator: ".", omittingEmptySubsequences: false).suffix(4)
        guard parts.count == 4, parts.first == "attest", parts.dropFirst(2).first == "requested",
            let kind = parts.dropFirst().first.flatMap({ RequestKind(rawValue: String($0)) }),
            let version = parts.last, version.first == "v", version.count > 1,
            version.dropFirst().utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else { return nil }
        self.kind = kind
        isCurrent = version == "v1"
    }
}
