internal import Dispatch

/// Does something that blocks, on a thread that may block.
///
/// The threads of the concurrency pool are as few as the cores.
package func blocking<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
            continuation.resume(with: Result { try body() })
        }
    }
}
