import KeyStoreSuite
import PostgresStore
import Testing
import Worker

@Suite(.serialized) struct OperatorTests {
    private let partition = TopicPartition(topic: "requests", partition: 0)

    @Test func `placing moves the position, fences the owner and keeps what is decided`() throws {
        let database = try TestDatabase()
        let store = database.makeStore(group: "group")
        let other = TopicPartition(topic: "requests", partition: 1)
        let claimed = try store.claim([partition: 50])
        let row = try #require(claimed[partition])

        let back = try store.place([partition: 20, other: 7])
        #expect(
            back[partition]
                == Progress(
                    epoch: row.epoch + 1, nextOffset: 50, publishedOffset: 20,
                    lastTimestampMilliseconds: 0))
        #expect(back[other]?.nextOffset == 7)
        #expect(back[other]?.publishedOffset == 7)
        #expect(try store.readProgress(of: [partition, other]) == back)
        // The owner's next transaction finds another epoch.
        let fault = #expect(throws: Fault.self) {
            try store.reset([partition: row])
        }
        #expect(fault?.disposition == .fenced)

        let forth = try store.place([partition: 80])
        #expect(forth[partition]?.nextOffset == 80)
        #expect(forth[partition]?.publishedOffset == 80)
    }

    @Test func `expired inbox rows are counted by day, and others are not`() throws {
        let database = try TestDatabase()
        let session = try database.connect()
        for (number, days) in [0, 30, 31, 31, 45].enumerated() {
            try session.execute(
                """
                INSERT INTO attest.inbox (request, decided_on, content_digest, verdict)
                VALUES (gen_random_uuid(), (now() AT TIME ZONE 'UTC')::date - \(days),
                    sha256('\(number)'), '\\x00')
                """)
        }
        var settings = database.settings
        settings.inboxRetentionDays = 30
        let store = PostgresKeyStore(settings)
        let counted = try store.expiredInboxRows()
        #expect(counted.map(\.rows) == [1, 2])
        #expect(counted.map(\.day) == counted.map(\.day).sorted())
        #expect(try store.pruneInbox(rowsMax: 100) == 3)
        #expect(try store.expiredInboxRows().isEmpty)
        #expect(try database.inboxCount() == 2)
    }
}
