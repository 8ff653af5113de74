import Worker

/// `attest-worker metrics`: every metric there is.
enum MetricsCommand {
    static let command = Command(
        name: "metrics", summary: "print the reference page of all metrics",
        help: {
            """
            Prints the reference page of all metrics (Markdown): name, type, unit, labels, what it
            means. Their values are told by a worker that runs, at /metrics on operations.listen.

            Usage: attest-worker metrics

            """
        }, execute: execute)

    private static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        guard arguments.isEmpty else {
            console.complain("attest-worker metrics: takes no arguments\n")
            return .usage
        }
        return console.answer(MetricsPage.reference())
    }
}
