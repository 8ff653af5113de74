/// One thing that can be set: its key, rule, text, and how it is read and shown.
///
/// Tables of these drive the reading of files, variables and flags, the help and the reference
/// page, so that none of them can say something else than another.
package struct Setting<Root: Sendable>: Sendable {
    /// The key below `Root`, parts in camel case with dots between: `kafka.topics.requests`.
    package let key: String
    /// What a value must be.
    package let rule: String
    /// What it does, in a sentence or two.
    package let summary: String
    /// Whether it is never printed.
    package let isSecret: Bool
    /// Whether `<key>File` may name a file that holds the value.
    package let takesFile: Bool
    /// Whether it is an object whose members may be set one by one.
    package let isMap: Bool
    /// Checks a value and puts it in its place, or notes what is wrong with it.
    let store: @Sendable (inout Root, SettingValue, inout SettingContext) -> Void
    /// The value as it would be written.
    let show: @Sendable (Root) -> SettingValue

    /// A setting of one value.
    ///
    /// - Parameters:
    ///   - key: the key below `Root`.
    ///   - path: where the value is kept.
    ///   - type: how it is read and shown.
    ///   - isSecret: whether it is never printed, and may be kept in a file.
    ///   - takesFile: whether it may be kept in a file though it is no secret.
    ///   - summary: what it does.
    init<Value>(
        _ key: String, _ path: any WritableKeyPath<Root, Value> & Sendable,
        _ type: SettingType<Value>, isSecret: Bool = false, takesFile: Bool = false,
        _ summary: String
    ) {
        self.init(
            key: key, rule: type.rule, summary: summary, isSecret: isSecret,
            takesFile: takesFile || isSecret, isMap: false
        ) { root, value, context in
            if let parsed = type.parse(value) {
                root[keyPath: path] = parsed
            } else if isSecret {
                context.note("must be \(type.rule)")
            } else {
                context.note("must be \(type.rule), not \(value.written)")
            }
        } show: { root in
            type.show(root[keyPath: path])
        }
    }

    /// A setting with its own way of storing.
    init(
        key: String, rule: String, summary: String, isSecret: Bool, takesFile: Bool, isMap: Bool,
        store: @escaping @Sendable (inout Root, SettingValue, inout SettingContext) -> Void,
        show: @escaping @Sendable (Root) -> SettingValue
    ) {
        self.key = key
        self.rule = rule
        self.summary = summary
        self.isSecret = isSecret
        self.takesFile = takesFile
        self.isMap = isMap
        self.store = store
        self.show = show
    }

    /// The environment variable: `ATTEST_`, sections joined by `__`, words by `_`.
    package var variable: String {
        let parts = key.split(separator: ".").map { part in
            part.reduce(into: "") { name, character in
                if character.isUppercase { name += "_" }
                name += character.uppercased()
            }
        }
        return settingVariablePrefix + parts.joined(separator: "__")
    }
}

/// What all variables of the worker begin with.
let settingVariablePrefix = "ATTEST_"

/// Where a value came from while it is stored, and where problems go.
struct SettingContext {
    /// The key from the root, list positions included: `apps[0].appId`.
    let key: String
    let origin: SettingOrigin
    let readFile: SettingsReader.ReadFile
    private(set) var problems: [SettingProblem] = []

    init(key: String, origin: SettingOrigin, readFile: @escaping SettingsReader.ReadFile) {
        self.key = key
        self.origin = origin
        self.readFile = readFile
    }

    /// Notes what is wrong: the rest of a sentence that starts with the key.
    mutating func note(_ message: String) {
        problems.append(SettingProblem(key: key, origin: origin, message: message))
    }

    /// Takes over what was noted elsewhere.
    mutating func note(_ problems: [SettingProblem]) {
        self.problems += problems
    }

    /// The text in a file, without the newline that editors put at its end.
    ///
    /// - Returns: nil, with a note, if the file can't be read, is empty or not UTF-8.
    mutating func contents(of path: SettingValue) -> String? {
        guard case .text(let path) = path, !path.isEmpty else {
            note("must be the path of a file")
            return nil
        }
        do {
            let bytes = try readFile(path)
            guard var text = String(validating: bytes, as: UTF8.self) else {
                note("names the file \(path), which is not UTF-8")
                return nil
            }
            if text.hasSuffix("\r\n") || text.hasSuffix("\n") { text.removeLast() }
            guard !text.isEmpty else {
                note("names the file \(path), which is empty")
                return nil
            }
            return text
        } catch {
            note("names the file \(path), which \(error.message)")
            return nil
        }
    }
}
