import Worker

extension Policy {
    /// The apps whose receipts can be verified: simulated ones need a root of their own for that.
    var appsWithReceipts: Set<String> {
        Set(apps.filter { $0.value.receiptAnchor != nil }.keys)
    }
}
