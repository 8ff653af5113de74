import Worker

/// `attest-worker inbox`: what the database remembers of decided requests, made less at once.
enum InboxCommand {
    static let command = Command(
        name: "inbox", summary: "prune the inbox of decided requests",
        help: {
            """
            Workers prune the inbox by themselves, a few rows at a time. This does all of it at
            once, for instance after postgres.inboxRetention was made shorter. Rows are deleted
            \(InboxPrune.rowsMax) at a time, in short transactions that wait for no lock, so workers
            may run.

            Usage: attest-worker inbox prune [--older-than=T] [--dry-run] [--json] [SETTINGS]

              --older-than=T  deletes what was decided longer ago, such as 45d, in whole days;
                              postgres.inboxRetention
              --shorten       allows a T below postgres.inboxRetention: what is forgotten and then
                              delivered again gets `stale_request` instead of its verdict
              --dry-run       counts the rows, by day, and deletes none
              --json          prints one JSON object

            Ends with 0 when all is deleted; else as `attest-worker run`.

            \(SettingsCommand.help)
            """
        }, execute: Subcommands(name: "inbox", all: [("prune", InboxPrune.execute)]).execute)
}
