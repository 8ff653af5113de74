import Dispatch
import Synchronization

/// A queue between threads: many put in, one takes out and waits for it.
final class Mailbox<Message: Sendable>: Sendable {
    private let messages = Mutex<[Message]>([])
    private let count = DispatchSemaphore(value: 0)

    /// Puts a message in.
    func put(_ message: Message) {
        messages.withLock { $0.append(message) }
        count.signal()
    }

    /// Takes the oldest message out, and waits for one if there is none.
    ///
    /// - Parameter deadline: when to give up waiting.
    /// - Returns: nil when the deadline passed.
    func take(until deadline: DispatchTime) -> Message? {
        guard count.wait(timeout: deadline) == .success else { return nil }
        return messages.withLock { $0.removeFirst() }
    }
}
