import AppAttest
import Wire

extension TrustAnchor {
    /// The one certificate in a PEM text (RFC 7468 §5).
    ///
    /// - Parameter pem: text with exactly one block `CERTIFICATE`; what stands around it does not
    ///   count. Nil otherwise, or if the certificate is no root.
    init?(pem: String) {
        let lines = pem.split(whereSeparator: \.isNewline).map { line in
            String(line.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " }.reversed())
        }
        let begins = lines.indices.filter { lines[$0] == "-----BEGIN CERTIFICATE-----" }
        let ends = lines.indices.filter { lines[$0] == "-----END CERTIFICATE-----" }
        guard begins.count == 1, ends.count == 1, let begin = begins.first, let end = ends.first,
            begin < end, let der = Base64.decode(lines[(begin + 1)..<end].joined())
        else { return nil }
        self.init(der: der)
    }
}
