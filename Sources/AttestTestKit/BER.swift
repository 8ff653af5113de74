/// Writes the forms of BER (ITU-T X.690) that DER forbids and receipts have.
enum BER {
    /// A constructed element of indefinite length, which two zero bytes end.
    static func indefinite(tag: UInt8, _ elements: [UInt8]...) -> [UInt8] {
        [tag, 0x80] + elements.concatenated + [0x00, 0x00]
    }

    /// An OCTET STRING of indefinite length in chunks, of which only the last may be shorter.
    static func octetString(_ bytes: [UInt8], chunkByteCount: Int) -> [UInt8] {
        let chunks = stride(from: 0, to: bytes.count, by: chunkByteCount).map {
            DER.octetString(Array(bytes.dropFirst($0).prefix(chunkByteCount)))
        }
        return indefinite(tag: 0x24, chunks.concatenated)
    }
}

extension [[UInt8]] {
    /// All bytes, one element after the other.
    ///
    /// `joined()` goes through them byte by byte, and in a debug build, in which tests mint
    /// thousands of objects, each byte costs a look-up of types: more time than signing.
    var concatenated: [UInt8] {
        reduce(into: []) { $0 += $1 }
    }
}
