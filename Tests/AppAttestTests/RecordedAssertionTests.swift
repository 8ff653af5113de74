import AppAttest
import RecordedVectors
import Testing

@Suite struct RecordedAssertionTests {
    @Test(arguments: try RecordedVectors.all(.assertion))
    func `a recorded assertion gets the expected answer`(vector: RecordedVector) throws {
        let result = try AssertionInputs(vector).verify()
        let previous = try #require(vector.previousSignCount)
        switch (vector.expected.outcome, vector.expected.reason) {
        case ("accept", _):
            let proof = try result.get()
            #expect(proof.signCount == vector.signCount)
            #expect(proof.appID == vector.appID)
            #expect(proof.signCount > previous)
        case ("reject", "counter_not_increasing"):
            // The sign count is the row's to judge: the assertion itself is genuine.
            #expect(try result.get().signCount <= previous)
        default:
            #expect(vector.expected.outcome == "reject")
            #expect(result.rejection?.code.rawValue == vector.expected.reason)
        }
    }
}
