import Worker

/// `attest-worker offsets`: where a group stands, in Kafka and in PostgreSQL, and moving both.
enum OffsetsCommand {
    static let command = Command(
        name: "offsets", summary: "show where the group stands, or move it",
        help: {
            """
            A group's position is kept twice: as Kafka's committed offset, and as a progress row in
            PostgreSQL, which tells what is decided. Workers start at the lower one. `show` tells
            both, by partition of the request topics, and what follows:

              ok              read on from the committed offset
              new             no worker has claimed it yet
              lost_commits    the database lost decisions: they are made again from next_offset
              records_expired records were deleted before they were decided
              new_log         the topic was made anew: read from its beginning
              unrecoverable   the database lost decisions whose records are gone: the worker halts;
                              see `attest-worker reconcile --help`

            `reset` moves both sides. Backwards, what was decided stays decided: requests that are
            read again get the same verdicts once more, or `stale_request` if they were decided
            longer than postgres.inboxRetention ago. Forwards, the requests that are jumped over
            never get a verdict. It is refused while the group has members: stop the workers first.

            Usage: attest-worker offsets show  [--partition=N,…] [--json] [SETTINGS]
                   attest-worker offsets reset TARGET [--topic=NAME] [--partition=N,…]
                                 [--while-stopped] [--dry-run] [--json] [SETTINGS]

            TARGET, one of
              --to-earliest   the beginning of each log
              --to-latest     its end
              --to-offset=N   this offset, or what of the log is nearest to it
              --to-time=TIME  the first record that is not older, such as 2026-01-31T12:00:00Z

              --topic=NAME    one of kafka.topics.requests; all
              --partition=N,… these partitions only
              --while-stopped you vouch that no worker of the group runs, where the brokers can't
                              tell; where they tell of members, it is refused all the same
              --dry-run       tells what would be moved, and moves nothing
              --json          prints one JSON object a partition, a line each

            Ends with 0 when done, 76 when the group has members; else as `attest-worker run`.

            \(SettingsCommand.help)
            """
        },
        execute: Subcommands(
            name: "offsets",
            all: [("show", OffsetsShow.execute), ("reset", OffsetsReset.execute)]
        ).execute)
}
