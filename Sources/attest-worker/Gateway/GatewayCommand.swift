import Worker

/// `attest-worker gateway`: HTTP for phones and backends, topics behind it.
enum GatewayCommand {
    /// Keys without which a gateway has nowhere to send to or hear from.
    private static let required = [
        "kafka.bootstrapServers", "kafka.topics.replies", "gateway.replyPartition", "apps",
    ]

    static let command = Command(
        name: "gateway", summary: "answer phones and backends over HTTP, by way of the topics",
        help: {
            """
            Answers Firebase App Check's contract, and that of Capgo's plugin, over HTTP: publishes
            each request, waits for its verdict on its own partition of the reply topic, and answers
            with the contract's JSON. It verifies nothing, and needs no database and none of the
            secrets of workers.

              POST /v1/{projects/*/apps/*, oauthClients/*}:generateAppAttestChallenge
                                                          :exchangeAppAttestAttestation
                                                          :exchangeAppAttestAssertion
              POST /v1beta/...                            the same, and
              POST /v1beta/projects/*:verifyAppCheckToken for backends
              POST /v1/challenges, /v1/registrations, /v1/assertions     for Capgo's plugin

            The workers' settings and the gateway's need the same kafka.topics.replies. Apps are
            found by apps[].resources. A proxy in front does TLS. More: docs/gateway.md.

            SIGTERM or SIGINT: takes no more requests, answers those that wait, and ends; a second
            one ends it at once. SIGHUP: reads settings again, and takes over API keys, bearer
            tokens and apps.

            Usage: attest-worker gateway [SETTINGS]

            Ends with
               0  stopped as asked                  78  wrong settings
              64  wrong command line                77  authorisation refused
              69  the address is taken              70  an internal fault; start again

            \(SettingsCommand.help)
            """
        }, execute: execute)

    private static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        // Before any thread is there, so that all of them inherit it.
        TerminationSignals.block(TerminationSignals.all)
        switch SettingsCommand.read(arguments, console, required: required) {
        case .failure(let invalid): return invalid.exitCode
        case .success(let reading):
            guard let run = GatewayRun(reading.settings, console: console) else {
                console.complain(
                    "attest-worker gateway: nobody would be served: set gateway.apiKeysFile,"
                        + " gateway.bearerTokensFile, or gateway.allowAnonymous to true\n")
                return .config
            }
            return run.run {
                guard
                    case .success(let reading) = SettingsCommand.read(
                        arguments, console, required: required)
                else { return nil }
                return reading.settings
            }
        }
    }
}
