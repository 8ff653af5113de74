extension LogEvents {
    /// What `attest-worker gateway` tells.
    static let gateway: [LogEventDescription] = [
        .init(
            "gateway_listening", [.info], ["address", "partition"],
            "The gateway answers at this address, and reads this partition of the reply topic."),
        .init(
            "gateway_refused", [.error], ["operation", "error_code"],
            "The gateway can't be started, or can't go on; the process ends."),
        .init(
            "replies_read", [.info], ["topic", "partition"],
            "The gateway's partition of the reply topic is being read: callers are served."),
        .init(
            "replies_unread", [.warning], ["error_code"], isMerged: true,
            "The gateway's partition of the reply topic can't be read, so callers are answered 503."
                + " It is tried again for as long as it takes."),
        .init(
            "gateway_stopped", [.info, .warning], ["exit_code"],
            "The gateway ends; a warning unless the code is 0."),
    ]
}
