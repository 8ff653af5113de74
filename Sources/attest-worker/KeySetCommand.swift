import Worker

/// `attest-worker jwks`: the keys that tokens are verified with.
enum KeySetCommand {
    static let command = Command(
        name: "jwks", summary: "print the public keys of tokens, as a JSON Web Key Set",
        help: {
            """
            Prints the public halves of the keys in tokens.keyFiles as a JSON Web Key Set (RFC
            7517), the one that signs first: to publish it where services that take tokens look
            for it, or to see what a rotation will make of it. Connects to nothing. Workers tell
            the same at /.well-known/jwks.json on operations.listen.

            Usage: attest-worker jwks [SETTINGS]

            \(SettingsCommand.help)
            """
        }, execute: execute)

    private static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        switch SettingsCommand.read(arguments, console, required: ["tokens.keyFiles"]) {
        case .failure(let invalid): return invalid.exitCode
        case .success(let reading):
            guard let policy = reading.settings.tokens.policy else { return .config }
            return console.answer(String(decoding: policy.keySet, as: UTF8.self) + "\n")
        }
    }
}
