import LibCrypto
import Synchronization
import Testing
import Worker

@testable import attest_worker

@Suite struct ClientRenewalTests {
    private final class Members: Sendable {
        let present = Mutex<Set<Int>>([0, 1, 2])

        func set(_ members: Set<Int>) {
            present.withLock { $0 = members }
        }
    }

    private let settings = Live(Settings().kafka)
    private let members = Members()
    private let renewal: ClientRenewal

    init() {
        renewal = ClientRenewal(settings, lanes: 3) { [members] lane in
            members.present.withLock { $0.contains(lane) }
        }
        for lane in 0..<3 { _ = renewal.begin(lane) }
    }

    private var due: [Int] { (0..<3).filter { renewal.isDue($0) } }

    @Test func `lanes are due one after the other, each when the one before is back`() {
        #expect(due == [])
        var changed = Settings().kafka
        changed.properties = ["ssl.key.location": "/new"]
        settings.replace(with: changed)
        #expect(due == [0])
        members.set([1, 2])
        #expect(renewal.begin(0).properties == changed.properties)
        #expect(due == [], "the first is not back yet")
        members.set([0, 1, 2])
        #expect(due == [1])
        _ = renewal.begin(1)
        #expect(due == [2])
        _ = renewal.begin(2)
        #expect(due == [])
    }

    @Test func `a lane that can't come back is mended by the next reload`() {
        settings.replace(with: Settings().kafka)
        _ = renewal.begin(0)
        members.set([1, 2])
        #expect(due == [], "the others keep what works")
        settings.replace(with: Settings().kafka)
        #expect(due == [0])
    }

    @Test func `a file with other contents is a change, and one that is named anew is not`() {
        let contents = Mutex(["/a": "one", "/b": "two"])
        let read: SettingsReader.ReadFile = { path throws(SettingsReader.UnreadableFile) in
            guard let text = contents.withLock({ $0[path] }) else {
                throw SettingsReader.UnreadableFile(message: "does not exist")
            }
            return Array(text.utf8)
        }
        var settings = Settings().kafka
        settings.properties = [
            "ssl.key.location": "/a", "ssl.ca.location": "/b", "ssl.crl.location": "/missing",
        ]
        let before = ClientFiles(of: settings, read)
        #expect(ClientFiles(of: settings, read).changes(since: before) == [])
        contents.withLock { $0["/a"] = "three" }
        let after = ClientFiles(of: settings, read)
        #expect(after.changes(since: before) == ["kafka.properties.ssl.key.location (its file)"])
        settings.properties["ssl.key.location"] = "/b"
        #expect(ClientFiles(of: settings, read).changes(since: after) == [])
    }
}
