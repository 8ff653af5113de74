import Testing

@testable import PostgresStore

/// What a temporary server says when it can't be started.
@Suite struct TemporaryPostgresTests {
    @Test(arguments: [
        (
            """
            creating subdirectories ... ok
            FATAL:  could not write to file "base/1/1255": No space left on device
            PANIC:  cannot abort transaction 1, it was already committed
            child process exited with exit code 134
            initdb: removing data directory "/tmp/x/data"

            """, "FATAL:  could not write to file \"base/1/1255\": No space left on device"
        ),
        (
            """
            initdb: error: directory "/tmp/x/data" exists but is not empty
            initdb: hint: remove it

            """, "initdb: error: directory \"/tmp/x/data\" exists but is not empty"
        ),
        ("pg_ctl: could not start server\n", "pg_ctl: could not start server"),
        ("", "it ended without a word"),
    ])
    func `the line that tells why is told, not what follows from it`(output: String, reason: String)
    {
        #expect(reasonOfFailure(inOutput: output) == reason)
    }
}
