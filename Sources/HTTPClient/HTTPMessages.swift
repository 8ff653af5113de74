/// What is asked of a server.
package struct HTTPRequest: Hashable, Sendable {
    /// A header line.
    package struct Header: Hashable, Sendable {
        /// The header's name: a token of RFC 9110 §5.6.2.
        package let name: String
        /// The header's value: visible ASCII, blanks and tabs.
        package let value: String

        /// A header; nil where name or value would break out of their line, or are empty.
        package init?(name: String, value: String) {
            guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte), !value.isEmpty,
                value.utf8.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x09 })
            else { return nil }
            self.name = name
            self.value = value
        }

        private static func isTokenByte(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
    }

    /// An absolute URL, `http` or `https`.
    package var url: String
    /// Beside those that HTTP itself needs.
    package var headers: [Header]
    /// What is posted; nil for a GET.
    package var body: [UInt8]?

    /// A request from its parts.
    package init(url: String, headers: [Header] = [], body: [UInt8]? = nil) {
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// What a server answered, whatever its status.
package struct HTTPResponse: Hashable, Sendable {
    /// The status code.
    package let status: Int
    /// The whole body.
    package let body: [UInt8]
}

/// No answer came.
///
/// Tells neither URL nor headers: they may hold secrets.
package struct HTTPFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, by what can be done.
    package enum Kind: String, Hashable, Sendable {
        /// The server's name is unknown, it refuses connections, or it hung up.
        case unreachable
        /// It took too long.
        case timeout
        /// It could not be proved who answers, or no encryption was agreed upon.
        case tls
        /// The answer is larger than allowed.
        case tooLarge
        /// The caller gave up.
        case cancelled
        /// The request itself can't be sent, or libcurl can't do it.
        case impossible
    }

    /// What went wrong.
    package let kind: Kind
    /// libcurl's number for it.
    package let code: Int
    /// libcurl's words for it.
    package let message: String

    /// In one line: `timeout: Timeout was reached [28]`.
    package var description: String {
        "\(kind.rawValue): \(message) [\(code)]"
    }
}
