import Glibc
import Harness
import Testing

/// Asks workers to end, and checks that each does so cleanly.
func stop(_ workers: [ChildProcess]) async throws {
    for worker in workers { worker.send(SIGTERM) }
    for worker in workers {
        let end = try await worker.waitForEnd(within: .seconds(30))
        #expect(end == .exited(0), "\(worker)")
    }
}
