/// Reads settings: defaults, then a file, then the environment, then flags; later ones stand.
///
/// All problems of all sources are gathered, so that an operator sees them in one go. Nothing of
/// the process is touched: arguments, environment and files come in as values.
package struct SettingsReader {
    /// A file that can't be read.
    package struct UnreadableFile: Error {
        /// The rest of a sentence that starts with the file: "does not exist".
        package let message: String

        /// A refusal with its sentence.
        package init(message: String) {
            self.message = message
        }
    }

    /// Gives a file's bytes.
    package typealias ReadFile = @Sendable (String) throws(UnreadableFile) -> [UInt8]

    /// Settings, and what else the command line held.
    package struct Reading: Sendable {
        /// The settings, checked.
        package var settings = Settings()
        /// Where each value that is not a default came from, by key.
        package var origins: [String: SettingOrigin] = [:]
        /// Those of the offered switches that were given.
        package var switches: Set<String> = []
    }

    /// The environment variable that names the settings file, as `--config` does.
    package static let configVariable = settingVariablePrefix + "CONFIG"

    private let readFile: ReadFile
    private var reading = Reading()
    private var problems: [SettingProblem] = []

    private init(readFile: @escaping ReadFile) {
        self.readFile = readFile
    }

    /// Reads everything.
    ///
    /// - Parameters:
    ///   - arguments: the command line behind the command's name.
    ///   - environment: all variables; those without the prefix `ATTEST_` are ignored.
    ///   - switches: flags without a value that the command knows, dashes included.
    ///   - required: keys that must be set, as the command can't do without.
    ///   - moreRules: finds what is wrong with settings that keep every rule known here.
    ///   - readFile: gives the bytes of the settings file and of files that hold secrets.
    /// - Returns: the settings.
    /// - Throws: ``InvalidSettings`` with every problem.
    package static func read(
        arguments: [String], environment: [String: String], switches: Set<String> = [],
        required: [String] = [], moreRules: (Reading) -> [SettingProblem] = { _ in [] },
        readFile: @escaping ReadFile
    ) throws(InvalidSettings) -> Reading {
        var reader = SettingsReader(readFile: readFile)
        let line = SettingsCommandLine(arguments, switches: switches)
        reader.reading.switches = line.switches
        if let path = line.configPath ?? environment[configVariable] {
            reader.applyFile(path)
        }
        reader.applyEnvironment(environment)
        reader.problems += line.problems
        for flag in line.flags { reader.applyFlag(flag) }
        reader.problems += SettingsRules.problems(
            of: reader.reading, required: required, noted: reader.problems.map(\.key))
        reader.problems += moreRules(reader.reading)
        guard reader.problems.isEmpty else { throw InvalidSettings(problems: reader.problems) }
        return reader.reading
    }

    // MARK: - File

    private mutating func applyFile(_ path: String) {
        let origin = SettingOrigin.file(path)
        let bytes: [UInt8]
        do {
            bytes = try readFile(path)
        } catch {
            note(path, .standard, "is the settings file, which \(error.message)")
            return
        }
        do {
            guard case .object(let members) = try SettingValue(parsingJSON5: bytes) else {
                note(path, .standard, "is the settings file, which must be an object")
                return
            }
            apply(members, below: "", origin: origin)
        } catch {
            note(path, .standard, "is the settings file, which \(error.message)")
        }
    }

    private mutating func apply(
        _ members: [String: SettingValue], below prefix: String, origin: SettingOrigin
    ) {
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            let key = prefix + name
            if let target = SettingTarget(key: key, in: SettingsTable.all) {
                store(value, in: target, origin: origin)
            } else if SettingsTable.all.contains(where: { $0.key.hasPrefix(key + ".") }) {
                guard case .object(let members) = value else {
                    note(key, origin, "must be an object, not \(value.written)")
                    continue
                }
                apply(members, below: key + ".", origin: origin)
            } else {
                note(key, origin, unknown(key, among: SettingsTable.all.map(\.key)))
            }
        }
    }

    // MARK: - Environment

    private mutating func applyEnvironment(_ environment: [String: String]) {
        for (name, value) in environment.sorted(by: { $0.key < $1.key }) {
            guard name.hasPrefix(settingVariablePrefix), name != Self.configVariable,
                !isServiceLink(name)
            else { continue }
            let origin = SettingOrigin.variable(name)
            if let target = SettingTarget(variable: name, in: SettingsTable.all) {
                store(.text(value), in: target, origin: origin)
            } else {
                note(name, origin, unknown(name, among: SettingsTable.all.map(\.variable)))
            }
        }
    }

    // MARK: - Flags

    private mutating func applyFlag(_ flag: SettingsCommandLine.Flag) {
        let origin = SettingOrigin.flag("--" + flag.key)
        if let target = SettingTarget(key: flag.key, in: SettingsTable.all) {
            store(.text(flag.value), in: target, origin: origin)
        } else {
            problems.append(
                SettingProblem(
                    key: "--" + flag.key, origin: origin,
                    message: unknown(flag.key, among: SettingsTable.all.map(\.key)),
                    isUsage: true))
        }
    }

    // MARK: - Storing

    private mutating func store(
        _ value: SettingValue, in target: SettingTarget<Settings>, origin: SettingOrigin
    ) {
        var context = SettingContext(key: target.key, origin: origin, readFile: readFile)
        target.store(value, in: &reading.settings, context: &context)
        problems += context.problems
        if context.problems.isEmpty { reading.origins[target.setting.key] = origin }
    }

    private mutating func note(_ key: String, _ origin: SettingOrigin, _ message: String) {
        problems.append(SettingProblem(key: key, origin: origin, message: message))
    }
}

/// The rest of a sentence about a name that does not exist.
func unknown(_ name: String, among names: [String]) -> String {
    guard let suggestion = closest(to: name, among: names) else { return "is unknown" }
    return "is unknown; did you mean \(suggestion)?"
}

/// Whether Kubernetes made this variable: for a service named `attest-…` it sets variables with our
/// prefix in every pod of the namespace, and they are none of ours.
private func isServiceLink(_ name: String) -> Bool {
    guard !name.contains("__") else { return false }
    return name.hasSuffix("_PORT") || name.contains("_SERVICE_HOST")
        || name.contains("_SERVICE_PORT") || name.contains("_PORT_")
}
