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
        do {
            let isGood = try await SoakRun(options).run()
            exit(isGood ? EX_OK : EXIT_FAILURE)
        } catch {
            say("SOAK FAILED to run: \(error)")
            exit(EX_SOFTWARE)
        }
    }
}

/// Prints a line at once, also into a pipe.
func say(_ line: String) {
    print(line)
    fflush(nil)
}
