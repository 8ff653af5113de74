internal import FoundationEssentials

/// A value as it was written, before its rule is applied.
///
/// Files and JSON variables give any case, other variables and flags always ``text(_:)``.
package enum SettingValue: Hashable, Sendable {
    /// A JSON string, a variable's or a flag's value.
    case text(String)
    /// A whole JSON number.
    case number(Int64)
    /// Another JSON number.
    case fraction(Double)
    /// A JSON boolean.
    case flag(Bool)
    /// A JSON array.
    case list([SettingValue])
    /// A JSON object.
    case object([String: SettingValue])
    /// JSON null.
    case null

    /// Reads JSON5 (comments, unquoted keys, trailing commas).
    ///
    /// Of a member that occurs twice the first is taken: the decoder does not tell.
    ///
    /// - Parameter bytes: UTF-8.
    /// - Throws: ``SettingSyntaxError``.
    init(parsingJSON5 bytes: [UInt8]) throws(SettingSyntaxError) {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        do {
            self = try decoder.decode(SettingValue.self, from: Data(bytes))
        } catch {
            throw SettingSyntaxError(place: SyntaxPlace(in: bytes))
        }
    }

    /// The value as one would write it, for an error message; long ones are cut.
    ///
    /// Of a list, its texts and numbers are told: one of them may be what is wrong.
    var written: String {
        switch self {
        case .text(let text): Self.written(text)
        case .number(let number): String(number)
        case .fraction(let number): String(number)
        case .flag(let flag): String(flag)
        case .list(let elements): "[\(Self.written(elements))]"
        case .object: "an object"
        case .null: "null"
        }
    }

    private static func written(_ text: String) -> String {
        // Before an @ a URL may have a password, and messages go to the log.
        if text.contains("://"), text.contains("@") { return "what was given" }
        return text.unicodeScalars.count > 60 ? "\"\(text.prefix(57))…\"" : "\"\(text)\""
    }

    private static func written(_ elements: [SettingValue]) -> String {
        var text = ""
        for element in elements {
            if !text.isEmpty { text += ", " }
            if case .list = element { text += "a list" } else { text += element.written }
            guard text.unicodeScalars.count <= 60 else { return text.prefix(60) + "…" }
        }
        return text
    }
}

extension SettingValue: Decodable {
    /// Takes whatever JSON value there is.
    ///
    /// - Parameter decoder: stands at the value.
    /// - Throws: what the decoder throws when the JSON is broken.
    package init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: MemberName.self) {
            var object: [String: SettingValue] = [:]
            for name in members.allKeys {
                object[name.stringValue] = try members.decode(SettingValue.self, forKey: name)
            }
            self = .object(object)
            return
        }
        if var elements = try? decoder.unkeyedContainer() {
            var list: [SettingValue] = []
            while !elements.isAtEnd { list.append(try elements.decode(SettingValue.self)) }
            self = .list(list)
            return
        }
        let single = try decoder.singleValueContainer()
        if single.decodeNil() {
            self = .null
        } else if let flag = try? single.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? single.decode(Int64.self) {
            self = .number(number)
        } else if let number = try? single.decode(Double.self) {
            self = .fraction(number)
        } else {
            self = .text(try single.decode(String.self))
        }
    }
}

/// Text that is not JSON5.
struct SettingSyntaxError: Error {
    /// Where, if it could be found.
    let place: SyntaxPlace?

    /// The rest of a sentence about what was read; it quotes nothing, as that may be a secret.
    var message: String {
        guard let place else {
            return "is not valid JSON5: look for a wrong word or number, or one without quotes"
        }
        return
            "is not valid JSON5: line \(place.line), column \(place.column): \(place.problem)"
    }
}

/// Any member name of a JSON object.
private struct MemberName: CodingKey {
    let stringValue: String
    let intValue: Int? = nil

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        nil
    }
}
