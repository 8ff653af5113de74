import Testing
import Worker

@testable import attest_worker

/// What operators' commands make of their command lines, before they reach for anything.
@Suite struct ToolCommandTests {
    private func run(_ arguments: [String]) -> (code: ExitCode, errors: String) {
        let test = TestConsole()
        let code = AttestWorker.run(arguments, console: test.console())
        return (code, test.errorText)
    }

    @Test(arguments: [
        (["reconcile"], "--from-verdicts is needed"),
        (
            ["reconcile", "--from-verdicts", "--from=yesterday"],
            "--from must be an offset, or a time"
        ),
        (["replay"], "--from=TIME|OFFSET is needed"),
        (["replay", "--from=-1"], "--from must be an offset, or a time"),
        (["replay", "--from=0", "--rate=0"], "--rate must be a whole number"),
        (["replay", "--from=0", "--partition=0,x"], "--partition must be a partition's number"),
        (["dead-letters"], "say what to do: list, show, redrive"),
        (["dead-letters", "drop"], "not \"drop\""),
        (["dead-letters", "show"], "PARTITION:OFFSET"),
        (["dead-letters", "show", "--payload"], "PARTITION:OFFSET"),
        (["dead-letters", "show", "0:-1"], "PARTITION:OFFSET"),
        (["dead-letters", "redrive"], "say which"),
        (["dead-letters", "redrive", "--all", "--error=x"], "say which"),
        (["dead-letters", "list", "--limit=0"], "--limit must be a whole number"),
        (["offsets"], "say what to do: show, reset"),
        (["offsets", "reset"], "one of --to-earliest"),
        (["offsets", "reset", "--to-latest", "--to-offset=3"], "one of --to-earliest"),
        (["offsets", "reset", "--to-time=3"], "--to-time must be a time"),
        (["inbox"], "say what to do: prune"),
        (["inbox", "prune", "--older-than=12h"], "--older-than must be whole days"),
    ])
    func `a wrong command line is told, with 64`(arguments: [String], message: String) {
        let (code, errors) = run(arguments)
        #expect(code == .usage)
        #expect(errors.contains(message), "\(errors)")
        #expect(errors.contains("--help` tells more"))
    }

    @Test(arguments: [
        ["reconcile", "--from-verdicts"], ["replay", "--from=0"], ["dead-letters", "list"],
        ["dead-letters", "show", "0:1"], ["dead-letters", "redrive", "--all"], ["offsets", "show"],
        ["offsets", "reset", "--to-latest"],
    ])
    func `without brokers in the settings nothing is done`(arguments: [String]) {
        let (code, errors) = run(arguments)
        #expect(code == .config)
        #expect(errors.contains("kafka.bootstrapServers"), "\(errors)")
    }

    @Test func `brokers that are away end it with 69`() {
        let (code, errors) = run([
            "offsets", "show", "--kafka.bootstrapServers=127.0.0.1:1",
            "--kafka.properties={\"socket.connection.setup.timeout.ms\":\"1000\"}",
        ])
        #expect(code == .unavailable, "\(errors)")
    }
}
