/// How a kind of value is read and written, and the rule that it must keep.
struct SettingType<Value: Sendable>: Sendable {
    /// The rule, to follow "must be": "a duration from 1s to 1h".
    let rule: String
    /// Nil when the rule is broken.
    let parse: @Sendable (SettingValue) -> Value?
    /// The inverse of `parse`.
    let show: @Sendable (Value) -> SettingValue
}

extension SettingType<String> {
    /// Text that is not empty.
    static func text(_ rule: String, bytesMax: Int = 1024) -> Self {
        Self(rule: rule) { value in
            guard case .text(let text) = value, !text.isEmpty, text.utf8.count <= bytesMax,
                !text.utf8.contains(0)
            else { return nil }
            return text
        } show: {
            .text($0)
        }
    }

    /// A topic's name by Kafka's own rule.
    static var topic: Self {
        Self(rule: "a topic name: 1 to 249 letters, digits, '.', '_' or '-'") { value in
            guard case .text(let text) = value, isTopic(text) else { return nil }
            return text
        } show: {
            .text($0)
        }
    }
}

extension SettingType {
    /// A value that may be absent; one that is given keeps the same rule.
    static func optional<Wrapped>(_ type: SettingType<Wrapped>) -> Self where Value == Wrapped? {
        Self(rule: type.rule) { value in
            // One that breaks the rule is not an absent one.
            guard let parsed = type.parse(value) else { return nil }
            return .some(parsed)
        } show: { value in
            value.map(type.show) ?? .null
        }
    }
}

extension SettingType<String?> {
    /// Text that may be absent.
    static func optionalText(_ rule: String, bytesMax: Int) -> Self {
        .optional(.text(rule, bytesMax: bytesMax))
    }
}

extension SettingType<[String]> {
    /// A list of texts, each of which `isElement` takes; as text, separated by commas.
    static func list(
        _ rule: String, of isElement: @escaping @Sendable (String) -> Bool
    ) -> Self {
        Self(rule: rule) { value in
            guard let elements = textElements(value), !elements.isEmpty,
                elements.allSatisfy(isElement), Set(elements).count == elements.count
            else { return nil }
            return elements
        } show: {
            .list($0.map(SettingValue.text))
        }
    }

    /// Topic names, each once.
    static var topics: Self {
        list("a list of topic names, each once", of: isTopic)
    }
}

extension SettingType<Bool> {
    /// `true` or `false`.
    static var flag: Self {
        Self(rule: "true or false") { value in
            switch value {
            case .flag(let flag): flag
            case .text(let text): Bool(text)
            case .number, .fraction, .list, .object, .null: nil
            }
        } show: {
            .flag($0)
        }
    }
}

extension SettingType<Int> {
    /// A whole number within a range.
    static func integer(in range: ClosedRange<Int>) -> Self {
        Self(rule: "a whole number from \(range.lowerBound) to \(range.upperBound)") { value in
            let number: Int? =
                switch value {
                case .number(let number): Int(exactly: number)
                case .text(let text): Int(text)
                case .fraction, .flag, .list, .object, .null: nil
                }
            return number.flatMap { range.contains($0) ? $0 : nil }
        } show: {
            .number(Int64($0))
        }
    }

    /// A number of bytes within a range, with a unit.
    static func size(in range: ClosedRange<Int>) -> Self {
        let units = SettingUnits.sizes
        let least = units.format(Int64(range.lowerBound))
        let most = units.format(Int64(range.upperBound))
        return Self(rule: "a size from \(least) to \(most), such as \"64KiB\"") { value in
            guard case .text(let text) = value, let bytes = units.parse(text),
                let size = Int(exactly: bytes), range.contains(size)
            else { return nil }
            return size
        } show: {
            .text(units.format(Int64($0)))
        }
    }
}

extension SettingType<Int?> {
    /// A whole number within a range that may be absent.
    static func optionalInteger(in range: ClosedRange<Int>) -> Self {
        .optional(.integer(in: range))
    }
}

extension SettingType<Duration> {
    /// A duration within a range, with a unit.
    static func duration(in range: ClosedRange<Duration>) -> Self {
        let bounds = "from \(range.lowerBound.written) to \(range.upperBound.written)"
        return Self(rule: "a duration \(bounds), such as \"45s\", \"2h\" or \"7d\"") { value in
            guard case .text(let text) = value,
                let milliseconds = SettingUnits.durations.parse(text),
                range.contains(.milliseconds(milliseconds))
            else { return nil }
            return .milliseconds(milliseconds)
        } show: {
            .text($0.written)
        }
    }
}

extension SettingType<Duration?> {
    /// A duration within a range that may be absent.
    static func optionalDuration(in range: ClosedRange<Duration>) -> Self {
        .optional(.duration(in: range))
    }
}

extension SettingType
where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of an enumeration's names.
    static var choice: Self {
        let names = Value.allCases.map { "\"\($0.rawValue)\"" }
        return Self(rule: names.joined(separator: " or ")) { value in
            guard case .text(let text) = value else { return nil }
            return Value(rawValue: text)
        } show: {
            .text($0.rawValue)
        }
    }
}

extension SettingType {
    /// Some of an enumeration's names, at least one; as text, separated by commas.
    static func choices<Element>(of _: Element.Type) -> Self
    where
        Element: RawRepresentable<String> & CaseIterable & Hashable & Sendable,
        Value == Set<Element>
    {
        let names = Element.allCases.map { "\"\($0.rawValue)\"" }
        return Self(rule: "a list of \(names.joined(separator: " or "))") { value in
            guard let elements = textElements(value), !elements.isEmpty else { return nil }
            let chosen = Set(elements.compactMap(Element.init(rawValue:)))
            return chosen.count == elements.count ? chosen : nil
        } show: { chosen in
            .list(Element.allCases.filter(chosen.contains).map { .text($0.rawValue) })
        }
    }
}

/// The elements of a list of texts, or of a text with commas.
private func textElements(_ value: SettingValue) -> [String]? {
    switch value {
    case .text(let text):
        return text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    case .list(let values):
        var elements: [String] = []
        for value in values {
            guard case .text(let text) = value else { return nil }
            elements.append(text)
        }
        return elements
    case .number, .fraction, .flag, .object, .null:
        return nil
    }
}

/// Kafka's own rule for topic names.
private func isTopic(_ text: String) -> Bool {
    (1...249).contains(text.utf8.count) && text != "." && text != ".."
        && text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "-"):
                true
            default:
                false
            }
        }
}
