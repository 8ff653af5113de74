import AttestTestKit
import LibCrypto
import SeededNumbers
import Worker

/// What a simulation's root and devices follow from.
///
/// Whoever knows it can sign as the root does, and have requests of the simulated app accepted by
/// every worker that is configured with the root. A number can be guessed; a file of random bytes
/// can't.
enum SimulationSeed: Hashable, Sendable {
    /// A number: for tests, where nobody gains anything by forging.
    case number(UInt64)
    /// 32 bytes that nobody else knows.
    case secret([UInt8])

    /// A secret of fewer bytes could be guessed; 32 random bytes in hexadecimal have 64.
    static let secretBytesMin = 32

    /// The secret in a file's bytes, newlines at the end left out.
    ///
    /// - Returns: nil if there are too few bytes, or they are all the same.
    init?(secretFile bytes: [UInt8]) {
        var bytes = bytes[...]
        while let last = bytes.last, [0x0A, 0x0D].contains(last) { bytes.removeLast() }
        guard bytes.count >= Self.secretBytesMin, Set(bytes).count > 1 else { return nil }
        self = .secret(SHA256.hash(Array(bytes)).bytes)
    }

    /// The authority that attests the devices.
    var authority: TestAuthority {
        switch self {
        case .number(let seed): TestAuthority(seed: seed)
        case .secret(let secret): TestAuthority(seed: 0, secret: secret)
        }
    }

    /// The number that choices and devices follow from, of a run of a number.
    ///
    /// Another run has other devices: workers know those of earlier ones, and their sign counts.
    func seed(ofRun run: UInt64) -> UInt64 {
        let number: UInt64 =
            switch self {
            case .number(let seed): seed
            case .secret: 0
            }
        var random = SplitMix64(seed: number ^ run &* 0xD6E8_FEB8_6659_FD93)
        return random.next()
    }
}

extension SimulationSeed {
    /// The flags that name a seed.
    static let flags: Set<String> = ["--seed", "--seed-file"]

    /// Reads the flags.
    ///
    /// - Parameters:
    ///   - flags: the command line; problems are noted in it.
    ///   - readFile: gives a file's bytes.
    /// - Returns: nil if no seed was given, or it is wrong.
    static func read(
        _ flags: inout CommandFlags, _ readFile: SettingsReader.ReadFile
    ) -> SimulationSeed? {
        let number = flags.number("--seed", in: 0...UInt64.max)
        guard let path = flags.values["--seed-file"] else { return number.map(Self.number) }
        if flags.values["--seed"] != nil {
            flags.note("--seed and --seed-file exclude each other")
            return nil
        }
        do {
            guard let seed = SimulationSeed(secretFile: try readFile(path)) else {
                flags.note(
                    "--seed-file must name a file of \(secretBytesMin) random bytes or more, such"
                        + " as `openssl rand -hex 32` makes")
                return nil
            }
            return seed
        } catch {
            flags.note("--seed-file names the file \(path), which \(error.message)")
            return nil
        }
    }
}
