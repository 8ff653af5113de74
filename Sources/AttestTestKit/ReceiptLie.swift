public import AppAttest

/// One thing that is wrong with a receipt while everything else is right.
///
/// Whatever the lie is about is signed anew, unless the lie is the signature itself, so that
/// exactly the check of its name refuses the receipt. ``rejection`` tells what a verifier of
/// receipts must say; a verifier of attestations does not look into the receipt.
public enum ReceiptLie: Hashable, Sendable, CaseIterable {
    /// The receipt says something else.
    case content(ReceiptContentLie)
    /// Somebody else signed it, or nobody, or the signed data is broken.
    case signature(ReceiptSignatureLie)

    /// Every lie of every group.
    public static var allCases: [ReceiptLie] {
        ReceiptContentLie.allCases.map(Self.content)
            + ReceiptSignatureLie.allCases.map(Self.signature)
    }

    /// What a verifier must say.
    public var rejection: RejectionCode {
        switch self {
        case .content(let lie): lie.rejection
        case .signature(let lie): lie.rejection
        }
    }

    /// Whether it is a lie in the receipt of a refresh too: nothing is compared with the client
    /// data hash in those.
    public var isLieOfRefreshes: Bool {
        switch self {
        case .content(.otherClientDataHash), .content(.noClientDataHash),
            .content(.otherCertificate):
            false
        case .content, .signature: true
        }
    }
}

extension ReceiptLie: CustomStringConvertible {
    /// Group and name, with a dot between them.
    public var description: String {
        switch self {
        case .content(let lie): "content.\(lie.rawValue)"
        case .signature(let lie): "signature.\(lie.rawValue)"
        }
    }
}
