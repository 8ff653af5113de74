internal import CMicrohttpd
internal import Synchronization

/// A request whose answer may come from any thread, while its connection sleeps.
package final class Exchange: Sendable {
    private enum State {
        case arriving
        /// The connection, as a number, is suspended.
        case waiting(UInt)
        case answered(HTTPAnswer)
        case over
    }

    private let state = Mutex(State.arriving)
    private let body = Mutex<[UInt8]>([])
    /// Bytes of the body that came, those beyond the limit too.
    private let arrivedBytes = Mutex(0)

    package init() {}

    /// Answers; only the first answer counts.
    package func answer(_ answer: HTTPAnswer) {
        let connection: UInt? = state.withLock { state in
            switch state {
            case .arriving:
                state = .answered(answer)
                return nil
            case .waiting(let connection):
                state = .answered(answer)
                return connection
            case .answered, .over:
                return nil
            }
        }
        // A suspended connection stays where it is until this call, so it can't be gone.
        guard let connection, let pointer = OpaquePointer(bitPattern: connection) else { return }
        MHD_resume_connection(pointer)
    }

    /// The answer, once there is one.
    package var answer: HTTPAnswer? {
        state.withLock { state in
            if case .answered(let answer) = state { answer } else { nil }
        }
    }

    /// Puts the connection to sleep until there is an answer; on the server's thread.
    func suspend(_ connection: OpaquePointer) {
        state.withLock { state in
            guard case .arriving = state else { return }
            MHD_suspend_connection(connection)
            state = .waiting(UInt(bitPattern: connection))
        }
    }

    /// The request is over, however it ended.
    func end() {
        state.withLock { $0 = .over }
    }

    /// Takes a piece of the body.
    ///
    /// - Returns: false where far more came than is taken: then the connection is to be closed. A
    ///   little more is read and dropped, so that the client sees the refusal.
    func take(_ bytes: UnsafeRawBufferPointer, most: Int) -> Bool {
        let arrived = arrivedBytes.withLock { count in
            count = count.addingReportingOverflow(bytes.count).partialValue
            return count
        }
        body.withLock { body in
            if arrived <= most { body += bytes } else { body = [] }
        }
        return arrived <= 4 * most
    }

    /// Whether more came than is taken.
    func isTooLarge(most: Int) -> Bool {
        arrivedBytes.withLock { $0 > most }
    }

    /// The body; it is given away.
    func takeBody() -> [UInt8] {
        body.withLock { body in
            defer { body = [] }
            return body
        }
    }
}
