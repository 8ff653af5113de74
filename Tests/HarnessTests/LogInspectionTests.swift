import Harness
import Testing

@Suite struct LogInspectionTests {
    static let start = #"{"ts":"2026-11-27T14:46:07.000042Z","level":"info","event":"#

    let inspection = LogInspection(
        arguments: ["run", "--postgres.connection=host=a password=hunter2x"],
        environment: ["ATTEST_POSTGRES__PASSWORD": "swordfish"])

    @Test(arguments: [
        #""lane_stopped","msg":"host=a password hunter2x"}"#,
        #""lane_stopped","msg":"swordfish"}"#,
        // A key id in both alphabets and in hexadecimal.
        #""lane_stopped","msg":"key bSrEhF8TIzIvWSPwvZ0i2+UOBre4ASH84rK15m6emNY="}"#,
        #""lane_stopped","msg":"key bSrEhF8TIzIvWSPwvZ0i2-UOBre4ASH84rK15m6emNY"}"#,
        #""lane_stopped","msg":"6d2ac4845f132332"#
            + #"2f5923f0bd9d22dbe50e06b7b80121fce2b2b5e66e9e98d6"}"#,
        #""lane_stopped","msg":"stop payload 17"}"#,
        #""no_such_event","msg":"fine"}"#,
        #""lane_stopped","msg":"fine","subject":"phone 7"}"#,
    ])
    func `what no log may hold is found`(rest: String) {
        #expect(inspection.problem(in: Self.start + rest) != nil)
    }

    @Test func `a level that an event does not have is found`() {
        let line = #"{"level":"debug","event":"lane_stopped","msg":"fine"}"#
        #expect(inspection.problem(in: line) != nil)
    }

    @Test(arguments: [
        #""lane_stopped","msg":"fine","lane":"lane-0","suppressed":2}"#,
        #""lane_stopped","msg":"/tmp/attest-reload.AbCd12/settings.json is no file"}"#,
        #""partitions_revoked","msg":"fine","partitions":3,"lost":false}"#,
    ])
    func `ordinary lines are fine`(rest: String) {
        #expect(inspection.problem(in: Self.start + rest) == nil)
    }
}
