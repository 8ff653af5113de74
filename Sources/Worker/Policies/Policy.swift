internal import AppAttest
internal import Wire

/// What is judged against: the apps and the bounds on a request's age.
package struct Policy: Hashable, Sendable {
    /// The apps by their ids.
    package let apps: [String: AppPolicy]
    /// How far behind the clock a record's timestamp may lie.
    package let maxRequestAge: Duration
    /// How far ahead of the clock a record's timestamp may lie.
    package let maxClockSkew: Duration
    /// What is revoked beside the database.
    package var revocations = RevocationList.none
    /// When receipts are refreshed; nil: not at all, and then nothing is noted of them.
    package var refresh: RefreshRules?
    /// How challenges are minted and taken; nil: by no worker.
    package var challenges: ChallengePolicy?
    /// How artifacts are made and taken; nil: there are none.
    package var artifacts: ArtifactPolicy?
    /// How tokens are made and taken; nil: there are none.
    package var tokens: TokenPolicy?
    /// The settings it was made of, as ``PolicyDocument`` writes them; empty where there were none.
    package var document = ""

    /// A policy from its parts; of two apps with one id the later stands.
    package init(apps: [AppPolicy], maxRequestAge: Duration, maxClockSkew: Duration) {
        self.apps = Dictionary(apps.map { ($0.relyingParty.appID, $0) }) { _, later in later }
        self.maxRequestAge = maxRequestAge
        self.maxClockSkew = maxClockSkew
    }

    /// Whether a record of this timestamp may be judged at this moment.
    ///
    /// - Returns: the reason why not; nil if it may.
    func timeRefusal(of timestamp: Instant?, now: Instant) -> WorkerReason? {
        guard let timestamp else { return .requestTimeUnknown }
        if timestamp > now.advanced(by: maxClockSkew) { return .requestFromTheFuture }
        if timestamp < now.advanced(by: .zero - maxRequestAge) { return .requestTooOld }
        return nil
    }
}
