// Receipts and the risk metric; told by processes that refresh receipts.

extension MetricTable {
    static let refreshes = MetricFamily(
        "attest_worker_receipt_refreshes", .counter, labels: ["result"],
        "Tries to get a new receipt from Apple, by what came of them.")
    static let riskMetric = MetricFamily(
        "attest_worker_receipt_risk_metric", .histogram([1, 2, 3, 4, 5, 7, 10, 20, 50, 100]),
        "Risk metrics in new receipts: about how many keys a device made for an app in 30 days.")
    static let riskChanges = MetricFamily(
        "attest_worker_receipt_risk_changes", .counter,
        "Changes of the risk metric that were published.")
    static let oldestDueReceipt = MetricFamily(
        "attest_worker_receipt_oldest_due_seconds", .gaugeOfLargest, .seconds,
        "For how long the longest-waiting receipt of the fleet has been due; 0 if none is.")
}
