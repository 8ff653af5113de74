import AttestTestKit
import FoundationEssentials
import Harness

/// A JSON object as a list of members, so that it can be broken in every way.
struct RawMessage: Sendable {
    private var members: [(name: String, value: String)]

    /// A message of the kit, taken apart.
    init(_ message: MintedRequest) throws {
        let fields = try JSONDecoder().decode([String: String].self, from: Data(message.json))
        members = fields.sorted { $0.key < $1.key }.map { ($0.key, quoted($0.value)) }
    }

    /// The same with another value, as JSON text.
    func with(_ name: String, _ value: String) -> RawMessage {
        var copy = without(name)
        copy.members.append((name, value))
        return copy
    }

    /// The same without a member.
    func without(_ name: String) -> RawMessage {
        var copy = self
        copy.members.removeAll { $0.name == name }
        return copy
    }

    /// The same with one member more, whether there is one of that name or not.
    func adding(_ name: String, _ value: String) -> RawMessage {
        var copy = self
        copy.members.append((name, value))
        return copy
    }

    /// The same with a text changed.
    func changing(_ name: String, _ change: (String) -> String) -> RawMessage {
        var copy = self
        for place in members.indices where members[place].name == name {
            copy.members[place].value = change(members[place].value)
        }
        return copy
    }

    var json: String {
        "{" + members.map { quoted($0.name) + ":" + $0.value }.joined(separator: ",") + "}"
    }
}

/// Text without anything to be escaped, as a JSON string.
func quoted(_ text: String) -> String {
    "\"" + text + "\""
}
