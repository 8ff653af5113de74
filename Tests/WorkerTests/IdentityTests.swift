import Testing
import Wire
import Worker

@Suite struct IdentityTests {
    private let place = RecordPlace(topic: "requests", partition: 3, offset: 17)

    private func identity(
        _ id: String?, _ place: RecordPlace, _ timestamp: Int64?
    ) -> RequestIdentity {
        RequestIdentity(
            requestID: id.flatMap { RequestID($0) }, place: place, timestampMilliseconds: timestamp)
    }

    @Test func `a request id identifies the request wherever it lies`() {
        let elsewhere = RecordPlace(topic: "other", partition: 0, offset: 0)
        #expect(identity("r-1", place, 1) == identity("r-1", elsewhere, 2))
        #expect(identity("r-1", place, 1) != identity("r-2", place, 1))
    }

    @Test func `without one, place and timestamp do`() {
        let base = identity(nil, place, 1)
        #expect(base == identity(nil, place, 1))
        let others = [
            identity(nil, RecordPlace(topic: "requests", partition: 3, offset: 18), 1),
            identity(nil, RecordPlace(topic: "requests", partition: 4, offset: 17), 1),
            identity(nil, RecordPlace(topic: "request", partition: 3, offset: 17), 1),
            identity(nil, place, 2), identity(nil, place, nil),
        ]
        for other in others { #expect(base != other) }
        #expect(Set(others).count == others.count)
    }

    @Test func `a request id can not be made to look like a place`() {
        #expect(identity("requests\u{1}3", place, 1) == identity(nil, place, 1))
        #expect(identity("requests", place, 1) != identity(nil, place, 1))
    }

    @Test func `the verdict's id is a UUID and a function of the identity`() {
        let id = identity("r-1", place, 1).verdictID.text
        #expect(id == identity("r-1", place, 9).verdictID.text)
        #expect(id.count == 36)
        #expect(Array(id)[14] == "8")
        #expect("89ab".contains(Array(id)[19]))
        #expect(id != identity("r-2", place, 1).verdictID.text)
    }
}
