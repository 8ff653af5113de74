extension LogEvents {
    /// The refresh of receipts.
    static let receipts: [LogEventDescription] = [
        .init(
            "receipt_refresh", [.debug, .info, .warning, .error],
            ["result", "detail", "app", "environment", "stored"], isMerged: true,
            "Apple was asked for a new receipt of one key, and this came of it. At `error`, the"
                + " token was refused (`unauthorized`): look at `receipts.keyPath`,"
                + " `receipts.keyId` and `receipts.teamId`. `refused` on many keys: they are asked"
                + " about at the endpoint of the other environment."),
        .init(
            "refresher_blocked", [.warning], ["operation", "error_code", "wait_ms"],
            "Receipts can't be refreshed now: the database or the key's file can't be had. It is"
                + " tried again; requests are answered all the same."),
        .init(
            "refresher_recovered", [.info], [], "Receipts are refreshed again."),
        .init(
            "refresher_ended", [.error], ["operation", "error_code"],
            "The thread that refreshes receipts could not begin. Requests are answered all the"
                + " same; restart the worker once the cause is mended."),
        .init(
            "risk_untold", [.warning], ["operation", "error_code"],
            "A change of the risk metric could not be published. It is tried again twice a minute,"
                + " and the key is not asked about until it is: check `kafka.topics.risk`."),
    ]
}
