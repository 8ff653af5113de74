internal import CRdkafka
internal import Glibc
internal import Synchronization

/// Gives a client tokens for SASL OAUTHBEARER: a first one, and each next one before the last ends.
///
/// On a thread of its own, with a queue of its own: a lane that waits for the database for minutes
/// doesn't poll its producer, and its token must not run out meanwhile; and a slow token command
/// must not hold up a lane. librdkafka asks when four fifths of a token's life are over, and ten
/// seconds after each failure. A failure is told as an event of the client.
///
/// Sendable, as the handles are used by its thread alone, between ``start(of:source:)`` and
/// ``stop()``; librdkafka's own calls may come from any thread.
final class TokenRefresher: @unchecked Sendable {
    /// How long one look into the queue waits; a stop need not wait for it.
    private static let queueWait: Duration = .seconds(10)

    private let client: OpaquePointer
    private let queue: OpaquePointer
    private let source: OAuthTokenSource
    private let isStopped = Atomic(false)
    private var thread = pthread_t()

    private init(client: OpaquePointer, queue: OpaquePointer, source: OAuthTokenSource) {
        self.client = client
        self.queue = queue
        self.source = source
    }

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - client: `rd_kafka_t`, made with a queue for SASL; it must outlive ``stop()``.
    ///   - source: where tokens come from.
    /// - Returns: nil if there is no such queue, or no thread to be had.
    static func start(of client: OpaquePointer, source: OAuthTokenSource) -> TokenRefresher? {
        guard let queue = rd_kafka_queue_get_sasl(client) else { return nil }
        let refresher = TokenRefresher(client: client, queue: queue, source: source)
        // The thread takes this reference over.
        let argument = Unmanaged.passRetained(refresher)
        guard pthread_create(&refresher.thread, nil, runRefresher, argument.toOpaque()) == 0 else {
            argument.release()
            rd_kafka_queue_destroy(queue)
            return nil
        }
        return refresher
    }

    /// Ends the thread and waits for that; to be called once, before the client is destroyed.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        rd_kafka_queue_yield(queue)
        pthread_join(thread, nil)
        rd_kafka_queue_destroy(queue)
    }

    fileprivate func run() {
        while !isStopped.load(ordering: .acquiring) {
            guard let event = KafkaEvent(from: queue, wait: Self.queueWait) else { continue }
            if event.type == RD_KAFKA_EVENT_OAUTHBEARER_TOKEN_REFRESH { refresh() }
        }
    }

    private func refresh() {
        do throws(OAuthToken.Problem) {
            let text = try source.fetch { isStopped.load(ordering: .acquiring) }
            let token = try OAuthToken(parsing: text, nowMilliseconds: Self.nowMilliseconds())
            try set(token)
        } catch {
            rd_kafka_oauthbearer_set_token_failure(client, "\(source.name) \(error.message)")
        }
    }

    private func set(_ token: OAuthToken) throws(OAuthToken.Problem) {
        // Its text may repeat the token, so that it is not shown.
        var text = [CChar](repeating: 0, count: KafkaError.textBytesMax)
        let code = rd_kafka_oauthbearer_set_token(
            client, token.value, token.expiryMilliseconds, token.principal, nil, 0, &text,
            text.count)
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
            throw .init(message: "gives what librdkafka refuses as a token")
        }
    }

    private static func nowMilliseconds() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }
}

/// Body of the thread; its argument is a retained ``TokenRefresher``.
private func runRefresher(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    Unmanaged<TokenRefresher>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
