extension Settings {
    /// Spans for a tracing system.
    package struct Traces: Hashable, Sendable {
        /// A header that is sent along with spans.
        package struct Header: Hashable, Sendable {
            /// The header's name.
            package let name: String
            /// The header's value; may be a secret.
            package let value: String
        }

        /// The URL that spans are posted to; nil: no spans are made.
        package var endpoint: String?
        /// Sent along with each request.
        package var headers: [Header] = []
        /// Certificates in place of the system's, a file in PEM.
        package var caPath: String?
        /// How long one request may take.
        package var timeout: Duration = .seconds(10)
        /// How long spans wait for others.
        package var interval: Duration = .seconds(5)
        /// The most spans in one request.
        package var batchSpansMax = 512
        /// The most spans that wait.
        package var queueSpansMax = 8192

        /// How long a stop may take beside the lanes': for spans that are left, and for giving up.
        package static let stopTimeMax: Duration = .seconds(3)
    }
}

extension SettingsTable {
    /// The settings of the spans.
    static let traces: [Setting<Settings>] = [
        Setting(
            "traces.endpoint", \.traces.endpoint, .url,
            "Where spans are posted to, by OTLP over HTTP in JSON. Unset, no spans are made, and"
                + " trace contexts pass from requests to verdicts as they are."),
        Setting(
            "traces.headers", \.traces.headers, .headers, isSecret: true,
            "Sent along with each request to the endpoint, such as an authorization."),
        Setting(
            "traces.caPath", \.traces.caPath,
            .optionalText("the path of a file of certificates in PEM", bytesMax: 4096),
            "Roots to trust for the endpoint, in place of the system's."),
        Setting(
            "traces.timeout", \.traces.timeout,
            .duration(in: .milliseconds(100)...(.seconds(600))),
            "How long one request to the endpoint may take."),
        Setting(
            "traces.interval", \.traces.interval,
            .duration(in: .milliseconds(10)...(.seconds(600))),
            "How long spans wait for others before they are sent."),
        Setting(
            "traces.batchSpansMax", \.traces.batchSpansMax, .integer(in: 1...10_000),
            "The most spans in one request."),
        Setting(
            "traces.queueSpansMax", \.traces.queueSpansMax, .integer(in: 1...1_000_000),
            "The most spans that wait to be sent. No lane waits for them: more are lost, and"
                + " counted."),
    ]
}

extension SettingType<String?> {
    /// A URL of HTTP or HTTPS that may be absent.
    static var url: Self {
        let rule =
            "an http or https URL without user and password, such as"
            + " \"http://collector:4318/v1/traces\""
        return Self(rule: rule) { value in
            guard case .text(let text) = value, isURL(text) else { return nil }
            return text
        } show: {
            $0.map(SettingValue.text) ?? .null
        }
    }

    /// Whether a text is a URL as far as it matters here: the rest is for the client to judge.
    private static func isURL(_ text: String) -> Bool {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let scheme = ["http://", "https://"].first(where: text.lowercased().hasPrefix)
        else { return false }
        let authority = text.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
        return !authority.isEmpty && !authority.contains("@")
    }
}

extension SettingType<[Settings.Traces.Header]> {
    /// Header lines; none if empty.
    fileprivate static var headers: Self {
        Self(rule: "header lines, such as \"authorization: Bearer …\", each with a name of its own")
        {
            value in
            guard case .text(let text) = value, text.utf8.count <= 16_384 else { return nil }
            var headers: [Settings.Traces.Header] = []
            for line in text.split(whereSeparator: \.isNewline) {
                guard let header = header(line) else { return nil }
                headers.append(header)
            }
            guard Set(headers.map { $0.name.lowercased() }).count == headers.count else {
                return nil
            }
            return headers
        } show: { headers in
            .text(headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n"))
        }
    }

    private static func header(_ line: Substring) -> Settings.Traces.Header? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let name = line[..<colon]
        let value = line[line.index(after: colon)...].trimming
        guard !name.isEmpty, !value.isEmpty,
            name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            value.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        return Settings.Traces.Header(name: String(name), value: value)
    }
}

extension Substring {
    /// Without blanks and tabs at both ends.
    fileprivate var trimming: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let head = drop(while: isBlank)
        return String(head.reversed().drop(while: isBlank).reversed())
    }
}
