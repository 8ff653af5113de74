import AttestTestKit
import Worker

/// What `attest-worker simulate` was asked for, beside the settings.
struct SimulateOptions: Sendable {
    /// The app whose devices are simulated.
    var appID = ""
    /// What root and devices follow from.
    var seed = SimulationSeed.number(0)
    /// How many devices register.
    var devices = 50
    /// How many requests a second are sent, registrations among them.
    var rate = 20
    /// How long requests are sent.
    var duration: Duration = .seconds(60)
    /// How unevenly devices are chosen.
    var skew = 0.0
    /// What else than honest assertions is sent.
    var lies = LieMix(Self.liesByDefault)
    /// Which dialects the messages are in.
    var dialects = PlanSettings.Dialect.allCases
    /// Which devices and systems there are.
    var shapes = DeviceShape.allCases
    /// Which run of the seed it is; nil: one that there never was.
    var run: UInt64?
    /// Whether one device and three requests are enough.
    var isCanary = false
    /// How long the three requests may take.
    var timeLimit: Duration = .seconds(30)
    /// After so long without any answer, while one is due, it gives up.
    var patience: Duration = .seconds(30)

    static let devicesMax = 10_000
    static let rateMax = 5_000
    static let durations: ClosedRange<Duration> = .seconds(1)...(.seconds(7 * 86_400))
    static let timeLimits: ClosedRange<Duration> = .seconds(1)...(.seconds(3600))
    static let skewMax = 3.0
    static let liesByDefault = "replay=1%,forged=0.5%,payload=0.5%,root=0.5%,repeated=1%"

    /// What the command line asks for.
    enum Request: Sendable {
        /// Print the root certificate that follows from the seed.
        case printRoot(SimulationSeed)
        /// Simulate, with the settings in the rest of the command line.
        case simulate(SimulateOptions, settings: [String])
    }

    /// Something wrong with the command line, in words for the person who typed it.
    struct Problem: Error, Hashable, Sendable {
        let messages: [String]
    }

    private static let loadFlags: Set<String> = [
        "--devices", "--rate", "--duration", "--skew", "--lies", "--patience",
    ]
    private static let ownFlags = SimulationSeed.flags.union(loadFlags).union([
        "--app-id", "--dialect", "--ios", "--run", "--time-limit",
    ])
    private static let switches: Set<String> = ["--once", "--print-root", "--insecure-seed"]

    /// Reads a command line.
    ///
    /// - Parameters:
    ///   - arguments: what stands behind `simulate`.
    ///   - readFile: gives the bytes of the file that holds the seed.
    /// - Returns: what is to be done.
    /// - Throws: every problem at once, but for those of the settings.
    static func read(
        _ arguments: [String], _ readFile: SettingsReader.ReadFile
    ) throws(Problem) -> Request {
        var flags = CommandFlags(arguments, valued: ownFlags, switches: switches)
        let seed = SimulationSeed.read(&flags, readFile)
        if seed == nil, flags.values.keys.allSatisfy({ !SimulationSeed.flags.contains($0) }) {
            flags.note("a seed is needed: --seed-file=FILE, or --seed=N with --insecure-seed")
        }
        if case .number = seed, !flags.switches.contains("--insecure-seed") {
            flags.note(
                "--seed=N can be guessed, and whoever guesses it can forge attestations of the"
                    + " simulated app: use --seed-file, or add --insecure-seed where that is no"
                    + " harm")
        }
        if flags.switches.contains("--print-root") {
            flags.refuseAllBesideRoot()
            guard let seed, flags.problems.isEmpty else { throw Problem(messages: flags.problems) }
            return .printRoot(seed)
        }
        var options = SimulateOptions()
        options.seed = seed ?? options.seed
        options.take(&flags)
        guard flags.problems.isEmpty else { throw Problem(messages: flags.problems) }
        return .simulate(options, settings: flags.rest)
    }

    private mutating func take(_ flags: inout CommandFlags) {
        isCanary = flags.switches.contains("--once")
        if let appID = flags.values["--app-id"], !appID.isEmpty {
            self.appID = appID
        } else {
            flags.note(
                "--app-id=TEAM.bundle is needed: a simulated app that the settings configure")
        }
        for name in Self.loadFlags.sorted() where isCanary && flags.values[name] != nil {
            flags.note("\(name) and --once exclude each other")
        }
        if !isCanary, flags.values["--time-limit"] != nil {
            flags.note("--time-limit goes with --once only")
        }
        devices = flags.number("--devices", in: 1...Self.devicesMax) ?? devices
        rate = flags.number("--rate", in: 1...Self.rateMax) ?? rate
        run = flags.number("--run", in: 0...UInt64.max)
        duration = Self.duration("--duration", in: Self.durations, &flags) ?? duration
        timeLimit = Self.duration("--time-limit", in: Self.timeLimits, &flags) ?? timeLimit
        patience = Self.duration("--patience", in: Self.timeLimits, &flags) ?? patience
        skew =
            flags.value("--skew", mustBe: "a number from 0 to \(Int(Self.skewMax))") { text in
                Double(text).flatMap { (0...Self.skewMax).contains($0) ? $0 : nil }
            } ?? skew
        lies =
            flags.value(
                "--lies",
                mustBe: "\"none\", or a list such as replay=1%,forged=0.5%, each once and 100% at"
                    + " most, of \(PlannedKind.byFlag.keys.sorted().joined(separator: ", "))"
            ) { LieMix($0) } ?? lies
        dialects =
            flags.value("--dialect", mustBe: "capgo, app-check or plain") {
                PlanSettings.Dialect(rawValue: $0).map { [$0] }
            } ?? dialects
        shapes =
            flags.value(
                "--ios",
                mustBe: "a version such as 17, or a range such as 14...27, in which there"
                    + " are devices: 14, 17, 18, 26, 27", DeviceShape.shapes(ofVersions:)) ?? shapes
    }

    private static func duration(
        _ name: String, in range: ClosedRange<Duration>, _ flags: inout CommandFlags
    ) -> Duration? {
        let bounds = "\(range.lowerBound.readable) to \(range.upperBound.components.seconds) s"
        return flags.value(name, mustBe: "a duration such as 30s or 5m, from \(bounds)") { text in
            let milliseconds = SettingUnits.durations.parse(text)
            return milliseconds.map { Duration.milliseconds($0) }
                .flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension CommandFlags {
    /// Notes whatever says nothing about a root.
    fileprivate mutating func refuseAllBesideRoot() {
        let given = values.keys.filter { !SimulationSeed.flags.contains($0) }.sorted()
        let needless = given + (switches.contains("--once") ? ["--once"] : []) + rest
        for argument in needless {
            note("--print-root takes a seed and nothing else: \"\(argument)\" means nothing to it")
        }
    }
}

extension DeviceShape {
    /// The phones whose system's version is within a range.
    ///
    /// - Parameter text: `17`, or `14...27`.
    /// - Returns: nil if it is neither, or if there are none.
    static func shapes(ofVersions text: String) -> [DeviceShape]? {
        let bounds = text.replacing("...", with: " ").split(
            separator: " ", omittingEmptySubsequences: false
        ).map { Int($0) }
        guard (1...2).contains(bounds.count), let lower = bounds.first ?? nil,
            let upper = bounds.last ?? nil
        else { return nil }
        let shapes = DeviceShape.allCases.filter { shape in
            let major = shape.operatingSystemVersion.prefix { $0 != "." }
            return !shape.isMac && Int(major).map { lower <= $0 && $0 <= upper } ?? false
        }
        return shapes.isEmpty ? nil : shapes
    }
}
