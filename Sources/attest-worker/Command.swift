import Worker

/// One of the program's commands.
struct Command: Sendable {
    /// The word on the command line.
    let name: String
    /// One line of the overview.
    let summary: String
    /// What `--help` prints, a newline at its end.
    let help: @Sendable () -> String
    /// Does it, with what stands behind the command's name.
    let execute: @Sendable ([String], Console) -> ExitCode

    /// All commands, in the order of the overview.
    static let all: [Command] = [
        RunCommand.command, GatewayCommand.command, MigrateCommand.command,
        CheckCommand.command, ConfigCommand.command, VerifyCommand.command, DemoCommand.command,
        SimulateCommand.command,
        FixturesCommand.command, DeviceCommand.command, HealthCommand.command,
        MetricsCommand.command,
        KeysCommand.command, ReceiptsCommand.command, ExplainCommand.command,
        ReconcileCommand.command, ChallengeCommand.command, KeySetCommand.command,
        ReplayCommand.command,
        DeadLettersCommand.command, OffsetsCommand.command, InboxCommand.command,
    ]
}
