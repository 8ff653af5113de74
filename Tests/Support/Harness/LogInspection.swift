internal import FoundationEssentials
internal import Worker

/// What no log of a worker may hold: payloads, key ids, tokens, secrets; nor an event or a field
/// that the page of log events does not have.
///
/// Every worker of the end-to-end tests is held to it when it ends.
package struct LogInspection: Sendable {
    /// Passwords and the like that the process was given.
    private let secrets: Set<String>

    /// What a process with these arguments and variables was given.
    ///
    /// Settings files that are named are looked into as well.
    package init(arguments: [String], environment: [String: String]) {
        var texts = arguments
        for (argument, next) in zip(arguments, arguments.dropFirst()) where argument == "--config" {
            if let bytes = FileManager.default.contents(atPath: next) {
                texts.append(String(decoding: bytes, as: UTF8.self))
            }
        }
        var secrets = environment.filter { name, _ in
            ["PASSWORD", "SECRET", "TOKEN"].contains { name.hasSuffix($0) }
        }.map(\.value)
        let password = /password"?[=:]\s*["']?([^\s"',}]+)/
        for text in texts { secrets += text.matches(of: password).map { String($0.output.1) } }
        // Shorter ones would be found by chance.
        self.secrets = Set(secrets.filter { $0.utf8.count >= 6 })
    }

    /// The first thing in a log that must not be there; nil if there is none.
    package func problem(in log: String) -> String? {
        for line in log.split(separator: "\n") {
            if secrets.contains(where: line.contains) { return "a secret is in a log" }
            if let found = Self.leak(in: line) { return "\(found) is in a log: \(line)" }
            if let found = Self.undescribed(line) { return "\(found) is not described: \(line)" }
        }
        return nil
    }

    /// Anything that may be the bytes of an object, of a key id or of client data.
    private static func leak(in line: Substring) -> String? {
        // 32 bytes are 43 characters of base64 or 64 of hexadecimal. What is in only one case, or
        // has no digit, is a path or a name.
        for match in line.matches(of: /[A-Za-z0-9+\/]{43,}|[A-Za-z0-9_\-]{43,}/) {
            let text = match.output
            let isMixed =
                text.contains(where: \.isUppercase) && text.contains(where: \.isLowercase)
                && text.contains(where: \.isNumber)
            if isMixed { return "base64" }
        }
        if line.contains(/[0-9a-fA-F]{64}/) { return "hexadecimal" }
        if line.contains("BEGIN CERTIFICATE") { return "a certificate" }
        // What the tests' devices sign.
        if line.contains(#/ payload [0-9]+| registers\b/#) { return "a payload" }
        return nil
    }

    /// An event or a field that the page does not have.
    private static func undescribed(_ line: Substring) -> String? {
        guard line.hasPrefix("{"),
            case let members? = try? JSONDecoder().decode(
                [String: AnyValue].self, from: Data(line.utf8)),
            case .text(let name)? = members["event"]
        else { return nil }
        guard let event = LogEvents.all.first(where: { $0.name == name }) else {
            return "event \(name)"
        }
        let known = Set(LogEvents.commonFields.map(\.name) + event.fields)
        let unknown = members.keys.filter { !known.contains($0) }.sorted()
        if let field = unknown.first { return "field \(field)" }
        guard case .text(let level)? = members["level"],
            event.levels.contains(where: { $0.rawValue == level })
        else { return "the level" }
        return nil
    }
}

/// A member of a log line; only texts matter here.
private enum AnyValue: Decodable {
    case text(String)
    case other

    init(from decoder: any Decoder) throws {
        let text = try? decoder.singleValueContainer().decode(String.self)
        self = text.map(AnyValue.text) ?? .other
    }
}
