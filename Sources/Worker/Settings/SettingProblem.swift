/// Where a setting's value came from.
package enum SettingOrigin: Hashable, Sendable, CustomStringConvertible {
    /// The default.
    case standard
    /// The settings file of this path.
    case file(String)
    /// An environment variable of this name.
    case variable(String)
    /// A flag of this name, its dashes included.
    case flag(String)

    /// For a person: "file attest.json5", "variable ATTEST_…", "flag --…".
    package var description: String {
        switch self {
        case .standard: "default"
        case .file(let path): "file \(path)"
        case .variable(let name): "variable \(name)"
        case .flag(let name): "flag \(name)"
        }
    }
}

/// One thing that is wrong with the settings.
package struct SettingProblem: Hashable, Sendable, CustomStringConvertible {
    /// The setting's key; for one that is unknown, what was written.
    package let key: String
    /// Where it came from.
    package let origin: SettingOrigin
    /// The rule that is broken, as the rest of a sentence that starts with the key.
    package let message: String
    /// Whether the command line can't be read at all, whatever the settings are.
    package let isUsage: Bool

    /// A problem from its parts.
    package init(key: String, origin: SettingOrigin, message: String, isUsage: Bool = false) {
        self.isUsage = isUsage
        self.key = key
        self.origin = origin
        self.message = message
    }

    /// Key, origin and rule in one line.
    package var description: String {
        switch origin {
        case .standard: "\(key) \(message)"
        case .file, .variable, .flag: "\(key) (\(origin)) \(message)"
        }
    }
}

/// Settings that can't be used: everything that is wrong with them, never empty.
package struct InvalidSettings: Error, Hashable, Sendable {
    /// In the order in which they were met: file, environment, flags, then what spans several.
    package let problems: [SettingProblem]

    /// Invalid by these problems.
    package init(problems: [SettingProblem]) {
        self.problems = problems
    }

    /// 64 when the command line can't be read, or only flags are wrong; else 78.
    package var exitCode: ExitCode {
        if problems.contains(where: \.isUsage) { return .usage }
        let flagsOnly = problems.allSatisfy { problem in
            switch problem.origin {
            case .flag: true
            case .standard, .file, .variable: false
            }
        }
        return flagsOnly ? .usage : .config
    }
}
