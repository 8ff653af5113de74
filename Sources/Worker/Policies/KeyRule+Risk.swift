internal import Wire

extension KeyRule {
    /// The device has not made more keys for the app lately than the app's policy allows.
    ///
    /// Last of the rules: a replay is told as such, whatever the device did.
    static let riskNotTooHigh = KeyRule { given in
        guard let most = given.app?.rules.riskMetricMax, let risk = given.risk,
            Int(risk.metric) > most
        else { return nil }
        return .worker(.riskTooHigh)
    } enforcement: { app in
        app.rules.riskMetric
    }
}
