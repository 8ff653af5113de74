import FoundationEssentials
import Glibc
import Synchronization

// A fuzz target is an executable of a few lines: it hands its seeds and a body to `FuzzDriver.run`.
// The body must accept any bytes; a trap, a failed precondition and an address error are findings.

/// Runs libFuzzer over a body.
package enum FuzzDriver {
    /// Writes the seeds into the corpus, and fuzzes from there until a finding or a limit.
    ///
    /// The command line is libFuzzer's: the corpus folder, and flags such as `-max_total_time=60`.
    ///
    /// - Parameters:
    ///   - seeds: inputs to start from.
    ///   - body: is called with one input after another, on one thread.
    /// - Throws: when the seeds can't be written.
    package static func run(
        seeds: [[UInt8]], _ body: @escaping @Sendable ([UInt8]) -> Void
    ) throws -> Never {
        guard let corpus = CommandLine.arguments.dropFirst().first(where: { !$0.hasPrefix("-") })
        else { preconditionFailure("the first argument is the corpus folder") }
        try FileManager.default.createDirectory(
            at: URL(filePath: corpus), withIntermediateDirectories: true)
        for (number, seed) in seeds.enumerated() {
            try Data(seed).write(to: URL(filePath: "\(corpus)/seed-\(number)"))
        }
        oneInput.withLock { $0 = body }
        exit(drive(CommandLine.arguments))
    }

    private static func drive(_ arguments: [String]) -> CInt {
        var argc = CInt(arguments.count)
        // The driver may move the pointers about, so the strings are freed from a copy of them.
        let strings = arguments.map { strdup($0) }
        defer { strings.forEach { free($0) } }
        var pointers = strings + [nil]
        return pointers.withUnsafeMutableBufferPointer { buffer in
            var argv = buffer.baseAddress
            return libFuzzerRunDriver(&argc, &argv, fuzzOneInput)
        }
    }
}

private let oneInput = Mutex<(@Sendable ([UInt8]) -> Void)?>(nil)

/// Called by libFuzzer on its caller's thread; the bytes are valid during the call only.
private func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let body = oneInput.withLock { $0 }
    body?(Array(UnsafeBufferPointer(start: data, count: count)))
    return 0
}

/// libFuzzer's entry point, from the toolchain's runtime that `-sanitize=fuzzer` links.
@_extern(c, "LLVMFuzzerRunDriver")
private func libFuzzerRunDriver(
    _ argc: UnsafeMutablePointer<CInt>,
    _ argv: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
