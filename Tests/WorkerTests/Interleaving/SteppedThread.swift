import Dispatch
import Glibc
import Worker

/// An effect of a lane on what it shares with others, as a scheduler sees it.
enum SharedEffect: Hashable, Sendable {
    /// A poll; with nothing to fetch and no change it would wait until something comes.
    case poll(waitsForNews: Bool)
    case positions
    case claim
    case readKeys
    case begin
    /// A row is locked by another: the lane waits inside `claim` or `begin`.
    case waitForLock
    case commit
    case enqueue
    case commitOffsets
}

/// A thread that stops before each shared effect until it is told to go on.
///
/// Exactly one of all stepped threads and their scheduler runs at any moment, so that what they
/// share needs no locks: the hand-over through semaphores orders everything.
final class SteppedThread: @unchecked Sendable {
    private let goOn = DispatchSemaphore(value: 0)
    private let stopped = DispatchSemaphore(value: 0)
    private var isDying = false
    /// The effect it stands before; nil before it began and when it has ended.
    private(set) var next: SharedEffect?
    private(set) var hasEnded = false
    private var history = Hasher()

    /// Starts a thread that stands before its first line.
    func start(_ body: @escaping @Sendable () -> Void) throws {
        let box = Unmanaged.passRetained(
            Body { [self] in
                goOn.wait()
                body()
                next = nil
                hasEnded = true
                stopped.signal()
            })
        var thread = pthread_t()
        guard pthread_create(&thread, nil, runBody, box.toOpaque()) == 0 else {
            box.release()
            throw ScenarioProblem(text: "the system can't start a thread")
        }
        pthread_detach(thread)
        step()
    }

    /// Lets it take its effect and run up to the next one; the scheduler's side.
    func step() {
        goOn.signal()
        stopped.wait()
    }

    /// Lets it die where it stands: its next effect never happens.
    func die() {
        isDying = true
        while !hasEnded { step() }
    }

    /// Stands before an effect until the scheduler's ``step()``; the lane's side.
    func stand(before effect: SharedEffect) throws(Fault) {
        guard !isDying else { throw .death }
        next = effect
        stopped.signal()
        goOn.wait()
        guard !isDying else { throw .death }
    }

    /// Takes a note of what an effect told the lane.
    ///
    /// A lane does nothing but what follows from these notes.
    func note(_ value: some Hashable) { history.combine(value) }

    /// Lets a summary stand for all notes so far.
    func forget(for summary: Int) {
        history = Hasher()
        history.combine(summary)
    }

    /// All notes so far, as one number.
    var past: Int { history.finalize() }
}

/// Work on its way through C.
private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

private func runBody(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let pointer else { return nil }
    Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run()
    return nil
}

extension Fault {
    /// The process dies here.
    static let death = Fault(
        operation: "step", code: "died", disposition: .stop(.software),
        message: "the process dies here")
}
