import Harness
import Testing
import Worker

@testable import attest_worker

/// What `simulate --apple` says of flags that it can't work with.
@Suite struct SimulatedAppleTests {
    private static let needed = "--certificate, --key, --provider-key and --team-id are needed"

    private static func complaints(_ flags: [String]) throws -> String {
        let folder = try Folder("attest-simulated-apple")
        let named = try folder.write("key", to: "AuthKey_ABC123DEFG.p8")
        let unnamed = try folder.write("key", to: "key.p8")
        let test = TestConsole()
        let given = flags.map { flag in
            flag.replacing("NAMED", with: named).replacing("UNKNOWN", with: unnamed)
        }
        let code = AttestWorker.run(
            ["simulate", "--apple", "--seed=1", "--insecure-seed"] + given,
            console: test.console())
        #expect(code == .usage)
        return test.errorText
    }

    @Test(arguments: [
        ("--metric=-1", "--metric must be a whole number from 0"),
        ("--delay=soon", "--delay must be a duration"),
        ("--answer=600", "a status from 100 to 599"),
        ("--answer=99", "a status from 100 to 599"),
        ("--listen=nowhere", "--listen must be an address and a port"),
        ("--key=/nowhere", "--key must be a file that can be read"),
        ("--provider-key=UNKNOWN", "a file with its key's id in its name"),
        ("--team-id=TEAM", "--team-id must be an id of ten letters and digits"),
    ])
    func `a wrong value is told with its flag, and nothing else`(
        flag: String, complaint: String
    ) throws {
        let name = flag.prefix { $0 != "=" }
        let good = [
            "--certificate=NAMED", "--key=NAMED", "--provider-key=NAMED", "--team-id=TEAM123456",
        ].filter { !$0.hasPrefix(name + "=") }
        let text = try Self.complaints(good + [flag])
        #expect(text.contains(complaint) && !text.contains(Self.needed), "\(text)")
    }

    @Test func `what is missing is told as missing`() throws {
        let text = try Self.complaints(["--certificate=NAMED", "--key=NAMED"])
        #expect(text.contains(Self.needed), "\(text)")
    }
}
