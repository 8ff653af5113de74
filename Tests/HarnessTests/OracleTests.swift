import Harness
import Testing
import Worker

/// The oracle must find what is broken: each clause fails on a world in which only it is broken.
@Suite struct OracleTests {
    @Test func `a world in order has no findings`() throws {
        let world = DoctoredWorld()
        #expect(try world.judged().findings == [])
        #expect(try world.judged().unanswered == [])
    }

    @Test func `an accepted sign count that PostgreSQL lacks is found`() throws {
        var world = DoctoredWorld()
        world.accepted["one"] = nil
        #expect(try world.brokenClauses() == [.accepted])
    }

    @Test func `an accepted sign count that nobody sent is found`() throws {
        var world = DoctoredWorld()
        world.accepted["none"] = 77
        #expect(try world.brokenClauses() == [.accepted])
    }

    @Test func `a request without a verdict is found`() throws {
        var world = DoctoredWorld()
        world.verdicts.removeLast()
        #expect(try world.judged().unanswered == [.request("replay")])
        #expect(try world.brokenClauses().contains(.answered))
    }

    @Test func `a record without a request needs its dead letter`() throws {
        var world = DoctoredWorld()
        world.deadLetters = []
        #expect(try world.brokenClauses() == [.answered])
    }

    @Test func `verdicts of one request that differ are found`() throws {
        var world = DoctoredWorld()
        world.verdicts.append(world.verdict("two", offset: 2, signCount: 2, spice: " "))
        #expect(try world.brokenClauses() == [.equal])
    }

    @Test func `a stored verdict that differs from the published one is found`() throws {
        var world = DoctoredWorld()
        world.storedDiffers = true
        #expect(try world.brokenClauses() == [.equal])
    }

    @Test func `a request that is stored twice is found`() throws {
        var world = DoctoredWorld()
        world.storedTwice = true
        #expect(try world.brokenClauses() == [.equal])
    }

    @Test func `first verdicts out of order are found, repeats are not`() throws {
        var world = DoctoredWorld()
        world.verdicts.append(world.verdicts[1])
        #expect(try world.brokenClauses() == [])
        world = DoctoredWorld()
        world.verdicts.swapAt(1, 2)
        #expect(try world.brokenClauses() == [.order])
    }

    @Test func `an offset ahead of its verdict is found while it is`() throws {
        var world = DoctoredWorld()
        let late = world.verdicts.removeLast()
        world.lateVerdicts = [late]
        world.committedBeforeLate = 3
        #expect(try world.brokenClauses() == [])
        world.committedBeforeLate = 4
        #expect(try world.brokenClauses() == [.ahead])
    }

    @Test func `a sign count that is not the highest is found`() throws {
        var world = DoctoredWorld()
        world.signCounts["key"] = 1
        #expect(try world.brokenClauses() == [.signCounts])
        world.signCounts = ["key": 2, "another": 0]
        #expect(try world.brokenClauses() == [.signCounts])
    }

    @Test func `a false replay is found`() throws {
        var world = DoctoredWorld()
        world.verdicts[2] = world.verdict("two", offset: 2, reason: "counter_not_increasing")
        #expect(try world.brokenClauses() == [.outcome])
    }

    @Test func `a wrong cause of a dead letter is found`() throws {
        var world = DoctoredWorld()
        world.deadLetters = [world.deadLetter(offset: 4, code: "empty_value")]
        #expect(try world.brokenClauses() == [.outcome])
    }

    @Test func `an answer to nobody is found`() throws {
        var world = DoctoredWorld()
        world.verdicts.append(world.verdict("nobody", offset: 9, signCount: 9))
        #expect(try world.brokenClauses() == [.unasked])
        world = DoctoredWorld()
        world.deadLetters.append(world.deadLetter(offset: 9, code: "not_json"))
        #expect(try world.brokenClauses() == [.unasked])
    }

    @Test func `a worker that ends unasked is found, however it ends`() throws {
        var world = DoctoredWorld()
        world.ends.append((.killed(9), true))
        #expect(try world.brokenClauses() == [])
        for end in [ChildProcess.End.exited(0), .exited(70), .killed(11)] {
            world = DoctoredWorld()
            world.ends.append((end, false))
            #expect(try world.brokenClauses() == [.alive])
        }
    }

    @Test func `a stale verdict is right only once the inbox has forgotten`() throws {
        var world = DoctoredWorld()
        world.lateVerdicts = [world.verdict("two", offset: 2, reason: "stale_request")]
        #expect(try world.brokenClauses() == [.outcome])
        world.forgetsBeforeLate = true
        #expect(try world.brokenClauses() == [])
    }
}
