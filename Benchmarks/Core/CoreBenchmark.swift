import Foundation
import Glibc

/// Measures the core library on one thread against bare libcrypto, from bytes to proof.
///
///     core-benchmark [--rounds N] [--slice MILLISECONDS] [--json FILE]
///     core-benchmark --only NAME --times N     one subject so many times, for a profiler
///
/// Ends with 0 when all targets are met, 1 when one is missed, 64 for a wrong call.
@main
enum CoreBenchmark {
    static func main() {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            let subjects = try Subjects.all()
            if let only = options.only {
                try repeated(only, times: options.times, of: subjects)
                return
            }
            let stopwatch = Stopwatch(
                rounds: options.rounds, sliceSeconds: Double(options.sliceMilliseconds) / 1000)
            let measured = try stopwatch.measure(subjects)
            print(Report.table(measured))
            if let path = options.json {
                try Data(Report.json(measured).utf8).write(to: URL(filePath: path))
            }
            exit(measured.allSatisfy(\.isTargetMet) ? 0 : 1)
        } catch {
            FileHandle.standardError.write(Data("core-benchmark: \(error)\n".utf8))
            if case BenchmarkFault.usage = error { exit(64) }
            exit(70)
        }
    }

    private static func repeated(_ name: String, times: Int, of subjects: [Subject]) throws {
        guard let subject = subjects.first(where: { $0.name == name }) else {
            let names = subjects.map(\.name).joined(separator: "; ")
            throw BenchmarkFault.usage("--only takes one of: \(names)")
        }
        for _ in 0..<times where try !subject.run() { throw BenchmarkFault.refused(name) }
    }
}

/// The command line.
struct Options {
    var rounds = 20
    var sliceMilliseconds = 50
    var json: String?
    var only: String?
    var times = 1

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else {
                throw BenchmarkFault.usage("\(name) needs a value")
            }
            switch name {
            case "--rounds": rounds = try Self.number(name, value, 1...10_000)
            case "--slice": sliceMilliseconds = try Self.number(name, value, 1...10_000)
            case "--times": times = try Self.number(name, value, 0...1_000_000)
            case "--json": json = value
            case "--only": only = value
            default:
                throw BenchmarkFault.usage(
                    "no argument \(name); there are --rounds, --slice, --json, --only, --times")
            }
        }
    }

    private static func number(
        _ name: String, _ text: String, _ range: ClosedRange<Int>
    ) throws -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw BenchmarkFault.usage(
                "\(name) takes a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
