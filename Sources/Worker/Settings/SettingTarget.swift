/// What a key, a variable or a flag points at: a setting, a file for it, or a member of a map.
struct SettingTarget<Root: Sendable> {
    /// The setting.
    let setting: Setting<Root>
    /// The key as it is told in a problem.
    let key: String
    /// The member of a map that is set; nil for the whole.
    private let member: String?
    /// Whether the value is the path of a file that holds it.
    private let isFile: Bool

    /// By key: `a.b`, `a.bFile`, or `a.map.member`.
    init?(key: String, in table: [Setting<Root>]) {
        for setting in table {
            let isFile = setting.takesFile && key == setting.key + "File"
            if key == setting.key || isFile {
                self.init(setting: setting, key: key, member: nil, isFile: isFile)
                return
            }
            if setting.isMap, key.hasPrefix(setting.key + "."), key.count > setting.key.count + 1 {
                let member = String(key.dropFirst(setting.key.count + 1))
                self.init(setting: setting, key: key, member: member, isFile: false)
                return
            }
        }
        return nil
    }

    /// By variable: `ATTEST_A__B`, `ATTEST_A__B_FILE`, `ATTEST_A__MAP__MEMBER_NAME[_FILE]`.
    ///
    /// Members are written with `_` for each dot, as librdkafka's property names have no `_`.
    init?(variable: String, in table: [Setting<Root>]) {
        let fileSuffix = "_FILE"
        for setting in table {
            let name = setting.variable
            let isFile = setting.takesFile && variable == name + fileSuffix
            if variable == name || isFile {
                let key = setting.key + (isFile ? "File" : "")
                self.init(setting: setting, key: key, member: nil, isFile: isFile)
                return
            }
            if setting.isMap, variable.hasPrefix(name + "__"), variable.count > name.count + 2 {
                let isFile = variable.hasSuffix(fileSuffix)
                let words = variable.dropFirst(name.count + 2).dropLast(
                    isFile ? fileSuffix.count : 0)
                let member = words.lowercased().split(separator: "_").joined(separator: ".")
                let key = setting.key + "." + member
                self.init(setting: setting, key: key, member: member, isFile: isFile)
                return
            }
        }
        return nil
    }

    private init(setting: Setting<Root>, key: String, member: String?, isFile: Bool) {
        self.setting = setting
        self.key = key
        self.member = member
        self.isFile = isFile
    }

    /// Puts the value in its place, out of its file if need be, or notes what is wrong.
    func store(_ value: SettingValue, in root: inout Root, context: inout SettingContext) {
        var value = value
        if isFile {
            guard let text = context.contents(of: value) else { return }
            value = .text(text)
        }
        if let member { value = .object([member: value]) }
        setting.store(&root, value, &context)
    }
}
