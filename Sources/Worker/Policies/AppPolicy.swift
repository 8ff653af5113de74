package import AppAttest

/// The policy for one app.
package struct AppPolicy: Hashable, Sendable {
    /// App id, environments, trust anchor.
    package var relyingParty: RelyingParty
    /// What its genuine objects are held against besides.
    package var rules: AppRules
    /// Whether its devices are simulated: their verdicts say so.
    package var isSimulated: Bool
    /// Whose root the keys of this app were attested by.
    var authority: KeyAuthority { isSimulated ? .simulated : .apple }

    /// A policy from its parts.
    package init(
        relyingParty: RelyingParty, rules: AppRules = AppRules(), isSimulated: Bool = false
    ) {
        self.relyingParty = relyingParty
        self.rules = rules
        self.isSimulated = isSimulated
    }
}
