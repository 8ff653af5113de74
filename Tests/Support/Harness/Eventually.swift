/// Waits for a condition, and fails loudly when it does not come true in time.
///
/// The pause between two looks is only politeness: correctness never rests on it.
///
/// - Parameters:
///   - what: what is waited for, as it shall stand in the failure.
///   - limit: how long at the most.
///   - isolation: the caller's actor.
///   - condition: looks once.
/// - Throws: ``HarnessFailure`` after the limit, or what the condition throws.
package func eventually(
    _ what: @autoclosure () -> String, within limit: Duration,
    isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            throw HarnessFailure("waited \(limit) in vain: \(what())")
        }
        try await Task.sleep(for: .milliseconds(20))
    }
}
