import AppAttest
import CBORWriter
import FuzzDriver
import RecordedVectors

/// What the reader accepts has one spelling: writing it again gives the same bytes.
@main
struct FuzzCBOR {
    nonisolated static func main() throws {
        let seeds = try RecordedVectors.all().compactMap { $0.attestation ?? $0.assertion }
        try FuzzDriver.run(seeds: seeds.map { Array($0) }) { bytes in
            guard let item = try? CBORReader.readWhole(bytes[...]) else { return }
            precondition(CBORWriter.encode(item) == bytes, "two spellings of one item")
        }
    }
}
