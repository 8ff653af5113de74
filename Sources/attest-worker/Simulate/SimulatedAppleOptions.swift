import AttestTestKit
import Operations
import Worker

/// What `attest-worker simulate --apple` was told.
struct SimulatedAppleOptions {
    /// Where it listens.
    let address: ListenAddress
    /// Its own certificate, in PEM.
    let certificate: String
    /// The key of its certificate, in PEM.
    let key: String
    /// The file of the key whose tokens it takes, and that key's id.
    let providerKey: [UInt8]
    let keyID: String
    /// Whose key it is.
    let teamID: String
    /// The risk metric in its receipts.
    let metric: UInt32
    /// How it answers.
    let behaviour: SimulatedReceiptServer.Behaviour
    /// How long it waits before each answer.
    let delay: Duration?

    private static let needed = ["--certificate", "--key", "--provider-key", "--team-id"]

    /// Reads the flags.
    ///
    /// - Returns: nil, with a note of each flag that is missing or has a wrong value.
    init?(_ flags: inout CommandFlags, _ console: Console) {
        func file(_ name: String) -> [UInt8]? {
            flags.value(name, mustBe: "a file that can be read") { try? console.readFile($0) }
        }
        let address = flags.value("--listen", mustBe: "an address and a port") {
            ListenAddress($0)
        }
        self.address = address ?? ListenAddress(host: "127.0.0.1", port: 0)
        metric = flags.number("--metric", in: 0...UInt32.max) ?? 1
        delay = flags.value("--delay", mustBe: "a duration, such as 2s") {
            SettingUnits.durations.parse($0).map { Duration.milliseconds($0) }
        }
        let answer = flags.value(
            "--answer", mustBe: "one of those in --help, or a status from 100 to 599"
        ) { text in
            SimulatedApple.behaviours[text]
                ?? Int(text).flatMap { (100...599).contains($0) ? .status($0) : nil }
        }
        behaviour = answer ?? .honest
        let certificate = file("--certificate")
        let key = file("--key")
        let providerKey = file("--provider-key")
        let keyID = flags.value(
            "--provider-key", mustBe: "a file with its key's id in its name: AuthKey_ID.p8"
        ) { ProviderAccess(keyPath: $0, keyID: nil, teamID: "").effectiveKeyID }
        let teamID = flags.value("--team-id", mustBe: "an id of ten letters and digits") {
            ProviderAccess.isID($0) ? $0 : nil
        }
        if Self.needed.contains(where: { flags.values[$0] == nil }) {
            flags.note("--certificate, --key, --provider-key and --team-id are needed")
        }
        guard let certificate, let key, let providerKey, let keyID, let teamID else { return nil }
        self.certificate = String(decoding: certificate, as: UTF8.self)
        self.key = String(decoding: key, as: UTF8.self)
        self.providerKey = providerKey
        self.keyID = keyID
        self.teamID = teamID
    }
}
