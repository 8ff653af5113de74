import Dispatch
import Glibc
import Synchronization

/// Runs on a thread of its own; the result is waited for with `value()`.
final class Background<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let end = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () throws -> Value) {
        DispatchQueue(label: "background").async { [self] in
            let value = Result { try body() }
            result.withLock { $0 = value }
            end.signal()
        }
    }

    func value() throws -> Value? {
        end.wait()
        return try result.withLock { $0 }?.get()
    }
}

/// Waits, at most ten seconds, until the condition holds.
func eventually(_ condition: () throws -> Bool) throws -> Bool {
    for _ in 0..<1000 {
        if try condition() { return true }
        usleep(10_000)
    }
    return false
}
