import AppAttest
import AttestTestKit
import Glibc
import Operations
import Wire
import Worker

/// `attest-worker simulate --apple`: a server in the place of Apple's, for receipts of simulated
/// devices.
enum SimulatedApple {
    /// What the help of `simulate` says of it.
    static let help = """
        APPLE
          --apple SEED      stands in for Apple's server for receipts, over HTTPS, until SIGTERM;
                            the address is printed. Workers get it as receipts.productionUrl and
                            receipts.developmentUrl, its root by --print-receipt-root as the app's
                            receiptTrustAnchor, and its certificate as receipts.caPath
          --listen=HOST:PORT                  127.0.0.1:0
          --certificate=FILE --key=FILE       in PEM
          --provider-key=AuthKey_ID.p8 --team-id=ID
                            whose tokens it takes; the file must have its key's id in its name
          --metric=N        the risk metric in its receipts; 1
          --answer=WHAT     \(behaviours.keys.sorted().joined(separator: ", ")), or a status
                            from 100 to 599
          --delay=T         waits so long before each answer
          --print-receipt-root SEED           prints the root certificate of receipts
        """

    private static let valued: Set<String> = SimulationSeed.flags.union([
        "--listen", "--certificate", "--key", "--provider-key", "--team-id", "--metric", "--answer",
        "--delay",
    ])

    static let behaviours: [String: SimulatedReceiptServer.Behaviour] = [
        "honest": .honest, "garbage": .garbage, "wrong-environment": .wrongEnvironment,
        "old": .old, "forged": .forged,
    ]

    /// Whether a command line is meant for this.
    static func isMeant(_ arguments: [String]) -> Bool {
        arguments.contains("--apple") || arguments.contains("--print-receipt-root")
    }

    /// Does it.
    static func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        TerminationSignals.block()
        var flags = CommandFlags(
            arguments, valued: valued,
            switches: ["--apple", "--print-receipt-root", "--insecure-seed"])
        for argument in flags.rest { flags.note("\"\(argument)\" means nothing here") }
        guard let seed = SimulationSeed.read(&flags, console.readFile) else {
            flags.note("a seed is needed: --seed-file=FILE, or --seed=N with --insecure-seed")
            return complain(flags, console)
        }
        if case .number = seed, !flags.switches.contains("--insecure-seed") {
            flags.note("--seed=N can be guessed: use --seed-file, or add --insecure-seed")
        }
        if flags.switches.contains("--print-receipt-root") {
            guard flags.problems.isEmpty else { return complain(flags, console) }
            let root = Base64.encode(seed.authority.receiptRootCertificate)
            return console.answer(
                "-----BEGIN CERTIFICATE-----\n\(root)\n-----END CERTIFICATE-----\n")
        }
        return serve(seed, &flags, console)
    }

    private static func serve(
        _ seed: SimulationSeed, _ flags: inout CommandFlags, _ console: Console
    ) -> ExitCode {
        guard let options = SimulatedAppleOptions(&flags, console), flags.problems.isEmpty else {
            return complain(flags, console)
        }
        let apple = SimulatedReceiptServer(authority: seed.authority, teamID: options.teamID)
        apple.metric = options.metric
        apple.behaviour = options.behaviour
        guard apple.register(options.providerKey, id: options.keyID) else {
            flags.note("--provider-key must hold a P-256 private key in PEM")
            return complain(flags, console)
        }
        do throws(Fault) {
            let server = try TestHTTPSServer(
                address: options.address, certificate: options.certificate, key: options.key
            ) { question in
                if let delay = options.delay { Tool.pause(delay) }
                let answer = apple.answer(
                    authorization: question.authorization, body: question.body,
                    environment: question.path.hasPrefix("/development")
                        ? .development : .production, at: LaneClock.system.wall())
                return TestHTTPSServer.Reply(status: answer.status, body: answer.body)
            }
            defer { server.stop() }
            let base = "https://\(server.address)"
            guard
                console.answer(
                    "production  \(base)/v1/attestationData\n"
                        + "development \(base)/development/v1/attestationData\n") == .success
            else { return .software }
            _ = TerminationSignals.next()
            return .success
        } catch {
            // The fault's own words are for workers, which listen by a setting.
            let what =
                error.code == "operations_listen"
                ? "can't listen on \(options.address), as the port is taken or not permitted:"
                    + " give another one as --listen" : error.description
            console.complain("attest-worker simulate: \(what)\n")
            return error.exitCode
        }
    }

    private static func complain(_ flags: CommandFlags, _ console: Console) -> ExitCode {
        for problem in flags.problems { console.complain("attest-worker simulate: \(problem)\n") }
        console.complain("`attest-worker simulate --help` tells more.\n")
        return .usage
    }
}
