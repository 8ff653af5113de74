/// What a ``Refresher`` works by.
package struct RefresherSettings: Sendable {
    /// The apps whose keys are asked about; asked for each time, as it changes with the policy.
    package var appIDs: @Sendable () -> Set<String>
    /// Under whose name the pace is kept.
    package var fleet: String
    /// When and how often.
    package var rules: RefreshRules
    /// Where changes of the metric are told.
    package var riskTopic: String
    /// The consumer group's name, which events carry.
    package var group: String

    /// Whether changes are told at once; if not, a worker finds them.
    package var tellsChanges = true
    /// How long to wait where nothing is due.
    package var idleWait: Duration = .seconds(5)
    /// How often to look for what is late.
    package var lookInterval: Duration = .seconds(30)
    /// A change that is older than this, and was not told, is told by whoever finds it.
    package var untoldAge: Duration = .seconds(60)
    /// The most changes published at once.
    package var untoldMax = 100
    /// How long to wait for delivery reports.
    package var reportPatience: Duration = .seconds(10)
    /// How often it is tried to store what Apple answered.
    package var settleAttempts = 4
    /// The most receipts in hand: they are asked about one after the other.
    package static let inHandMax = 16

    /// Settings from those that have no default.
    package init(
        appIDs: @escaping @Sendable () -> Set<String>, fleet: String, rules: RefreshRules,
        riskTopic: String, group: String
    ) {
        self.appIDs = appIDs
        self.fleet = fleet
        self.rules = rules
        self.riskTopic = riskTopic
        self.group = group
    }

    /// What is taken.
    func terms(for appIDs: Set<String>) -> LeaseTerms {
        LeaseTerms(fleet: fleet, appIDs: appIDs, rules: rules, countMax: Self.inHandMax)
    }
}
