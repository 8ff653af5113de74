import AppAttest
import AttestTestKit

/// The files of a set of fixtures, as bytes.
struct FixtureFiles: Sendable {
    /// What the files follow from.
    struct Parameters: Sendable {
        var appID = EmbeddedRun.appID
        var seed = SimulationSeed.number(EmbeddedRun.seed)
        var run: UInt64 = 0
        var at = Instant(milliseconds: 0)
    }

    /// Names and contents.
    let files: [(name: String, bytes: [UInt8])]

    /// The same parameters give the same bytes.
    ///
    /// - Returns: nil if something can't be encoded.
    init?(_ parameters: Parameters) {
        let authority = parameters.seed.authority
        let seed = parameters.seed.seed(ofRun: parameters.run)
        let plan = RequestPlan(
            PlanSettings(
                appID: parameters.appID, authority: authority, seed: seed,
                idPrefix: "fixture-\(String(parameters.run, radix: 36))-"), now: parameters.at)
        let requests = FixtureStory.requests(plan)
        var seen: Set<String> = []
        let verdicts = requests.filter { seen.insert($0.id).inserted }.compactMap(
            FixtureVerdict.init)
        guard
            let requestLines = JSONLines.encode(
                requests.map { FixtureRequest($0, at: parameters.at) }),
            let verdictLines = JSONLines.encode(verdicts)
        else { return nil }
        files = [
            ("requests.jsonl", requestLines), ("verdicts.jsonl", verdictLines),
            ("root.pem", Array(authority.rootCertificateAsPEM.utf8)),
            ("settings.json5", Array(Self.settings(parameters).utf8)),
            ("README.md", Array(Self.readme(parameters).utf8)),
        ]
    }

    private static func settings(_ parameters: Parameters) -> String {
        """
        // Lets a worker accept these fixtures; start it in this folder. Everybody who knows the
        // seed can forge requests of this app: keep it out of settings with apps of real users.
        {
          apps: [
            { appId: "\(parameters.appID)", simulated: true, trustAnchorFile: "root.pem" },
          ],
        }

        """
    }

    private static func readme(_ parameters: Parameters) -> String {
        """
        # Requests and their verdicts

        Made by `attest-worker fixtures`: requests of simulated devices for the app
        `\(parameters.appID)`, and the verdict that each must get from a worker that runs with
        `settings.json5` (or with `--embedded` and nothing else, if neither seed nor app was
        chosen).

        | file | what is in it, an object a line |
        | --- | --- |
        | `requests.jsonl` | `story`, `requestId`, `key`, `value`, `headers`, `timestamp` |
        | `verdicts.jsonl` | what the verdict on a `requestId` must have |

        `root.pem` is the root the devices are attested by, `settings.json5` the app as a worker
        must know it.

        Send the records in their order to `attest.requests.v1`: `key` and `value` as UTF-8, the
        headers as they are, the timestamp on the record (milliseconds), partitioned by murmur2 of
        the key. One request is sent twice; its verdict comes twice, with the same bytes. Compare
        the fields that `verdicts.jsonl` has, and no others.

        A worker refuses requests that are older than its `worker.maxRequestAge`, 7 days by
        default, and one of these is eight days old on purpose. So make fixtures anew for each
        test run: they have other devices and request ids each time. A database that has seen
        these answers from its inbox, with the same bytes.

        """
    }
}
