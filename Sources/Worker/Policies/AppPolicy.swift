package import AppAttest

/// The policy for one app.
package struct AppPolicy: Hashable, Sendable {
    /// App id, environments, trust anchor.
    package var relyingParty: RelyingParty
    /// What its genuine objects are held against besides.
    package var rules: AppRules
    /// Whether its devices are simulated: their verdicts say so.
    package var isSimulated: Bool
    /// The root of receipts; nil where receipts are not judged, whatever the rules say.
    package var receiptAnchor: TrustAnchor?
    /// The tokens that its accepted requests are answered with; nil: none.
    package var tokens: AppTokens?
    /// Whose root the keys of this app were attested by.
    var authority: KeyAuthority { isSimulated ? .simulated : .apple }

    /// What judges the receipts inside attestations; nil where they are not judged.
    var receiptVerifier: ReceiptVerifier? {
        guard rules.receipt != .ignored, let receiptAnchor else { return nil }
        return ReceiptVerifier(trustAnchor: receiptAnchor, maxAge: rules.receiptMaxAge)
    }

    /// A policy from its parts.
    package init(
        relyingParty: RelyingParty, rules: AppRules = AppRules(), isSimulated: Bool = false,
        receiptAnchor: TrustAnchor? = nil, tokens: AppTokens? = nil
    ) {
        self.tokens = tokens
        self.relyingParty = relyingParty
        self.rules = rules
        self.isSimulated = isSimulated
        self.receiptAnchor = receiptAnchor
    }
}
