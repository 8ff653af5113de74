import AppAttest
import AttestTestKit
import Wire
import Worker

extension Settings.App {
    /// An app whose devices an authority of the test kit attests.
    init(simulated appID: String, authority: TestAuthority) {
        self.init()
        self.appID = appID
        trustAnchor = authority.rootCertificateAsPEM
        isSimulated = true
    }
}

extension TestAuthority {
    /// What stands against attesting devices at a moment, in words; nil if nothing.
    static func problem(at instant: Instant) -> String? {
        validity.contains(instant)
            ? nil
            : "simulated devices can be attested from 2020-03-18 to 2045-03-15 only, as long as"
                + " their root and its intermediate are valid"
    }

    /// The root as an operator would set it (RFC 7468 §5), a newline at its end.
    var rootCertificateAsPEM: String {
        let text = Array(Base64.encode(rootCertificate))
        // RFC 7468 §2: lines of 64 characters.
        let lines = stride(from: 0, to: text.count, by: 64).map { start in
            String(text[start..<min(start + 64, text.count)]) + "\n"
        }
        return "-----BEGIN CERTIFICATE-----\n" + lines.joined() + "-----END CERTIFICATE-----\n"
    }
}
