import AppAttest
import Wire

/// Certificates as text (RFC 7468 §5).
enum PEM {
    /// The one certificate in a text, in DER.
    ///
    /// - Parameter text: with exactly one block `CERTIFICATE`; what stands around it does not
    ///   count.
    /// - Returns: nil otherwise.
    static func certificate(_ text: String) -> [UInt8]? {
        let lines = text.split(whereSeparator: \.isNewline).map { line in
            String(line.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " }.reversed())
        }
        let begins = lines.indices.filter { lines[$0] == "-----BEGIN CERTIFICATE-----" }
        let ends = lines.indices.filter { lines[$0] == "-----END CERTIFICATE-----" }
        guard begins.count == 1, ends.count == 1, let begin = begins.first, let end = ends.first,
            begin < end
        else { return nil }
        return Base64.decode(lines[(begin + 1)..<end].joined())
    }

    /// Whether a text has a certificate among other things, as files of roots have.
    ///
    /// - Parameter text: a file; what stands around its blocks does not count.
    /// - Returns: false where no block is a certificate's.
    static func hasCertificate(_ text: String) -> Bool {
        var block: String?
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("-----BEGIN ") {
                block = line.hasPrefix("-----BEGIN CERTIFICATE-----") ? "" : nil
            } else if line.hasPrefix("-----END CERTIFICATE-----") {
                // A SEQUENCE; libcurl reads the rest.
                if let block, Base64.decode(block)?.first == 0x30 { return true }
                block = nil
            } else {
                block?.append(contentsOf: line.filter { !$0.isWhitespace })
            }
        }
        return false
    }
}

extension TrustAnchor {
    /// The one certificate in a PEM text.
    ///
    /// - Parameter pem: nil if it holds not exactly one, or the certificate is no root.
    init?(pem: String) {
        guard let der = PEM.certificate(pem) else { return nil }
        self.init(der: der)
    }
}
