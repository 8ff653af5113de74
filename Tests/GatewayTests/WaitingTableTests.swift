import SeededNumbers
import Testing
import Wire

@testable import Gateway

/// Who waits, against a model that is a list.
@Suite struct WaitingTableTests {
    private func id(_ number: Int) throws -> SendID {
        try #require(SendID([Header(name: SendID.header, text: "s\(number)")]))
    }

    @Test func `who waits gets the answer, and once`() throws {
        var table = WaitingTable<Int>(most: 3)
        #expect(table.add(try id(1), 1, until: .seconds(1)))
        #expect(table.add(try id(2), 2, until: .seconds(2)))
        #expect(table.add(try id(3), 3, until: .seconds(2)))
        #expect(!table.add(try id(4), 4, until: .seconds(3)), "it is full")
        #expect(table.take(try id(1)) == 1)
        #expect(table.take(try id(1)) == nil)
        #expect(table.count == 2)
        #expect(table.add(try id(5), 5, until: .seconds(3)))
        #expect(table.takeExpired(now: .seconds(2)) == [2, 3])
        #expect(table.takeAll() == [5] && table.count == 0)
    }

    @Test func `whatever the order, nobody is lost and nobody answered twice`() throws {
        var random = SplitMix64(seed: 11)
        for _ in 0..<200 {
            let most = Int.random(in: 1...20, using: &random)
            var table = WaitingTable<Int>(most: most)
            var model: [(waiter: Int, deadline: Int)] = []
            var now = 0
            for waiter in 0..<200 {
                now += Int.random(in: 0...3, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0, 1:
                    let isIn = table.add(try id(waiter), waiter, until: .seconds(now + 10))
                    #expect(isIn == (model.count < most))
                    if isIn { model.append((waiter, now + 10)) }
                case 2:
                    let number = Int.random(in: 0...waiter, using: &random)
                    #expect(
                        table.take(try id(number))
                            == model.first { $0.waiter == number }?.waiter)
                    model.removeAll { $0.waiter == number }
                default:
                    let moment = now
                    #expect(
                        table.takeExpired(now: .seconds(moment))
                            == model.filter { $0.deadline <= moment }.map(\.waiter))
                    model.removeAll { $0.deadline <= moment }
                }
                #expect(table.count == model.count)
            }
        }
    }
}
