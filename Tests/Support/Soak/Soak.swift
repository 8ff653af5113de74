import Glibc
import Harness

/// Soaks real workers in faults, and judges them: see ``SoakOptions/usage``.
@main
enum Soak {
    static func main() async {
        if CommandLine.arguments.contains("--help") {
            say(SoakOptions.usage)
            exit(EX_OK)
        }
        let options: SoakOptions
        do {
            options = try SoakOptions(Array(CommandLine.arguments.dropFirst()))
        } catch {
            say("error: \(error)\n\n\(SoakOptions.usage)")
            exit(EX_USAGE)
        }
        // A broker that has died is told by name, not by the end of this process.
        signal(SIGPIPE, SIG_IGN)
        do {
            let isGood = try await soak(options)
            exit(isGood ? EX_OK : EXIT_FAILURE)
        } catch {
            say("SOAK FAILED to run: \(error)")
            exit(EX_SOFTWARE)
        }
    }
}

/// Runs worlds until the time is over: one, unless the mock broker dies by itself.
///
/// - Returns: whether the oracle found nothing in any of them.
/// - Throws: when the scenery fails.
private func soak(_ options: SoakOptions) async throws -> Bool {
    var options = options
    for _ in 0..<SoakRun.worldsMax {
        let run = try SoakRun(options)
        do {
            return try await run.run()
        } catch let death as SoakRun.BrokerDied {
            say("\(death); nothing was wrong until then, and a new world follows")
            options.minutes = max(1, options.minutes - run.minutes)
            options.seed &+= 1
        }
    }
    throw HarnessFailure("the mock broker died \(SoakRun.worldsMax) times")
}

/// Prints a line at once, also into a pipe.
func say(_ line: String) {
    print(line)
    fflush(nil)
}
