import Testing
import Wire
import Worker

@testable import KafkaTransport

struct GroupAssignmentTests {
    private let zero = TopicPartition(topic: "requests", partition: 0)
    private let one = TopicPartition(topic: "requests", partition: 1)

    private func place(_ partition: TopicPartition, _ offset: Int64) -> RecordPlace {
        RecordPlace(topic: partition.topic, partition: partition.partition, offset: offset)
    }

    /// Both partitions assigned, and started at 10.
    private func started() throws -> GroupAssignment {
        var assignment = GroupAssignment(isIncremental: false)
        assignment.told(.assigned([zero, one]))
        let answers = [try assignment.start([:]), try assignment.start([zero: 10, one: 10])]
        #expect(answers == [.assigned([zero, one]), nil])
        return assignment
    }

    @Test func `a record counts once, from the position on`() throws {
        var assignment = try started()
        let other = TopicPartition(topic: "other", partition: 0)
        // Offsets may leave gaps: compaction, and marks of transactions.
        let places = [
            place(zero, 9), place(zero, 10), place(zero, 10), place(zero, 15), place(one, 10),
            place(other, 99),
        ]
        let counted = places.map { assignment.advance(past: $0) }
        #expect(counted == [false, true, false, true, true, false])
    }

    @Test func `what is not ours can't be started`() throws {
        var assignment = try started()
        let other = TopicPartition(topic: "requests", partition: 2)
        let fault = #expect(throws: Fault.self) { _ = try assignment.start([other: 0]) }
        #expect(fault?.disposition == .fenced)
    }

    @Test func `nothing is started while partitions are to be given up`() throws {
        var assignment = try started()
        assignment.told(.revoked([zero, one]))
        let fault = #expect(throws: Fault.self) { _ = try assignment.start([zero: 0]) }
        #expect(fault?.disposition == .fenced)
        #expect(assignment.isAnswerOwed)
    }

    @Test func `a revocation is answered when all of it is stopped`() throws {
        var assignment = try started()
        assignment.told(.revoked([zero, one]))
        #expect(!assignment.isFetching(zero))
        let part = assignment.stop([zero])
        #expect(part == nil)
        #expect(assignment.isAnswerOwed)
        #expect(assignment.mayCommit(one), "until the answer, the rest may be committed")
        let whole = assignment.stop([zero, one])
        #expect(whole == .revoked([zero, one]))
        #expect(!assignment.isAnswerOwed)
        #expect(!assignment.mayCommit(one))
    }

    @Test func `nothing may be committed after a loss, before the answer`() throws {
        var assignment = try started()
        assignment.told(.lost([zero, one]))
        #expect(!assignment.mayCommit(zero))
        let counts = assignment.advance(past: place(zero, 10))
        #expect(!counts)
        let answered = assignment.stop([zero, one])
        #expect(answered == .lost([zero, one]))
    }
}
