internal import AppAttest
package import Operations
internal import Synchronization
package import Wire
package import Worker

/// Where requests go.
package protocol RequestPublisher: Sendable {
    /// Whether there is a broker to publish to, as far as is known.
    var isConnected: Bool { get }

    /// Puts a record on its way; waits for nothing.
    ///
    /// - Returns: false where there is no room.
    func publish(_ record: OutgoingRecord, _ sendID: SendID) -> Bool
}

/// What a gateway goes by.
package struct GatewaySettings: Sendable {
    /// The topic that requests are published on.
    package var requestTopic: String
    /// The topic that copies of verdicts come back on.
    package var replyTopic: String
    /// This instance's partition of it.
    package var replyPartition: Int32
    /// Who calls this gateway in `ce_source`.
    package var source: String
    /// How long a caller waits.
    package var deadline: Duration
    /// The most requests that wait.
    package var waitingMax: Int
    /// Who is served; a replacement counts from the next request on.
    package var callers: Live<CallerRules>
    /// How many requests are let in.
    package var rates: RateLimiter.Rates
    /// The apps there are; a replacement counts from the next request on.
    package var apps: Live<AppDirectory>

    /// Settings from their parts.
    package init(
        requestTopic: String, replyTopic: String, replyPartition: Int32, source: String,
        deadline: Duration, waitingMax: Int, callers: Live<CallerRules>,
        rates: RateLimiter.Rates, apps: Live<AppDirectory>
    ) {
        self.requestTopic = requestTopic
        self.replyTopic = replyTopic
        self.replyPartition = replyPartition
        self.source = source
        self.deadline = deadline
        self.waitingMax = waitingMax
        self.callers = callers
        self.rates = rates
        self.apps = apps
    }
}

/// HTTP to topics and back: a request in, its record out, its verdict in, its answer out.
///
/// It verifies nothing and keeps nothing but what waits. Any thread may call it.
package final class GatewayService: ExchangeHandler {
    /// Who waits for a verdict.
    private struct Waiter: Sendable {
        let exchange: Exchange
        let route: Route
        let requestID: RequestID
        let since: Duration
    }

    private struct State {
        var waiting: WaitingTable<Waiter>
        var limiter: RateLimiter
        var isDraining = false
    }

    /// The headers that it looks at, in lower case.
    package let headerNames: Set<String>

    private let settings: GatewaySettings
    private let publisher: any RequestPublisher
    private let observer: GatewayObserver
    private let randomWord: @Sendable () -> UInt64
    private let monotonic: @Sendable () -> Duration
    private let state: Mutex<State>

    /// A service with nothing that waits.
    ///
    /// - Parameters:
    ///   - settings: what it goes by.
    ///   - addressHeader: the header in which a proxy tells the caller's address.
    ///   - publisher: where requests go.
    ///   - observer: where it counts.
    ///   - randomWord: 64 random bits, for request ids: not to be guessed.
    ///   - monotonic: a clock that does not jump.
    package init(
        _ settings: GatewaySettings, addressHeader: String?, publisher: any RequestPublisher,
        observer: GatewayObserver, randomWord: @escaping @Sendable () -> UInt64,
        monotonic: @escaping @Sendable () -> Duration
    ) {
        self.settings = settings
        self.publisher = publisher
        self.observer = observer
        self.randomWord = randomWord
        self.monotonic = monotonic
        headerNames = CallerRules.headerNames
            .union(["content-type", RequestIdentity.header, "traceparent", "tracestate"])
            .union(addressHeader.map { [$0.lowercased()] } ?? [])
        state = Mutex(
            State(
                waiting: WaitingTable(most: settings.waitingMax),
                limiter: RateLimiter(settings.rates, now: monotonic())))
    }

    // MARK: Requests

    /// Takes a request.
    package func handle(_ request: ExchangeRequest, _ exchange: Exchange) {
        let route = Route(path: request.path)
        do throws(Refusal) {
            try begin(request, route, exchange)
        } catch {
            finish(exchange, error, route?.method)
        }
    }

    /// What is answered to a request that is refused before it is whole.
    package func refusal(_ flaw: ExchangeFlaw) -> HTTPAnswer {
        let refusal =
            switch flaw {
            case .bodyTooLarge:
                Refusal(
                    .invalidArgument, "body_too_large",
                    "the body is larger than this gateway takes",
                    finerStatus: 413)
            case .pathTooLong:
                Refusal(
                    .invalidArgument, "path_too_long", "the path is too long", finerStatus: 414)
            }
        observer.answered(nil, status: refusal.status, reason: refusal.reason, duration: nil)
        return refusal.answer
    }

    private func begin(
        _ request: ExchangeRequest, _ route: Route?, _ exchange: Exchange
    ) throws(Refusal) {
        guard let route else {
            throw Refusal(.notFound, "path_unknown", "there is no such path")
        }
        guard request.method == "POST" else {
            throw Refusal(
                .unimplemented, "method_not_allowed", "only POST is answered", finerStatus: 405,
                allowed: "POST")
        }
        let now = monotonic()
        let caller = try admit(request, now)
        let (appID, message) = try read(request, route, caller)
        let id = try identity(of: request, caller, message)
        do throws(Refusal) {
            try publish(message, id, appID, caller, request, route, exchange, now)
        } catch {
            var refusal = error
            refusal.requestID = id
            throw refusal
        }
    }

    /// Lets a request in: of those who may ask, no more than the rates allow.
    private func admit(
        _ request: ExchangeRequest, _ now: Duration
    ) throws(Refusal) -> Caller {
        let rules = settings.callers.value
        let caller = Result { () throws(Refusal) in try rules.caller(of: request) }
        try state.withLock { state throws(Refusal) in
            guard !state.isDraining else {
                throw Refusal(
                    .unavailable, "draining", "this instance is about to stop", retryAfter: 1)
            }
            // Whoever guesses at keys counts as well: only a token that is known is not held back.
            let isBackend = (try? caller.get())?.standing == .backend
            let network = isBackend ? nil : rules.network(of: request)
            try state.limiter.admit(network, now: now)
        }
        return try caller.get()
    }

    /// The app that is spoken of, and what is said.
    private func read(
        _ request: ExchangeRequest, _ route: Route, _ caller: Caller
    ) throws(Refusal) -> (appID: String?, message: ClientMessage) {
        let unknown = Refusal(
            .notFound, "resource_unknown", "no app of this gateway has that name")
        var appID: String?
        if route.method == .verifyAppCheckToken {
            guard caller.standing == .backend else {
                throw Refusal(
                    .permissionDenied, "backends_only", "only a bearer token may consume tokens")
            }
            guard let project = route.resource, settings.apps.value.hasProject(project) else {
                throw unknown
            }
        } else if let resource = route.resource {
            appID = settings.apps.value.appID(of: resource)
            if appID == nil { throw unknown }
        }
        try checkMediaType(request)
        let message: ClientMessage
        do {
            message = try ClientMessage(request.body, form: route.method.form)
        } catch {
            throw Refusal(.invalidArgument, "body_malformed", error.detail)
        }
        guard route.resource == nil else { return (appID, message) }
        appID = settings.apps.value.appID(named: message.appID)
        guard appID == nil else { return (appID, message) }
        if message.appID != nil { throw unknown }
        if route.method == .challenges {
            throw Refusal(
                .invalidArgument, "app_id_missing", "there are several apps: say appId")
        }
        return (appID, message)
    }

    /// An empty body has no type; clients that send none mean JSON.
    private func checkMediaType(_ request: ExchangeRequest) throws(Refusal) {
        guard let type = request.headers["content-type"], !request.body.isEmpty else { return }
        let essence = type.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
        guard essence == "application/json" else {
            throw Refusal(
                .invalidArgument, "content_type_unsupported", "the body must be application/json",
                finerStatus: 415)
        }
    }

    private func identity(
        of request: ExchangeRequest, _ caller: Caller, _ message: ClientMessage
    ) throws(Refusal) -> RequestID {
        guard let key = request.headers[RequestIdentity.header] else {
            return RequestIdentity.random(randomWord)
        }
        return try RequestIdentity.derived(from: key, caller, path: request.path, message)
    }

    private func publish(
        _ message: ClientMessage, _ id: RequestID, _ appID: String?, _ caller: Caller,
        _ request: ExchangeRequest, _ route: Route, _ exchange: Exchange, _ now: Duration
    ) throws(Refusal) {
        guard publisher.isConnected else {
            throw Refusal(
                .unavailable, "broker_unavailable", "the message broker is away", retryAfter: 5)
        }
        let sendID = SendID(random: randomWord)
        let record = OutgoingRecord(
            topic: settings.requestTopic, key: message.keyID.map { Array($0.text.utf8) },
            value: message.recordValue(
                requestID: id, appID: appID,
                // The path's project: a token is consumed under its own alone.
                audience: route.method == .verifyAppCheckToken ? route.resource : nil,
                takesSubject: caller.standing == .backend),
            headers: headers(of: request, sendID))
        let waiter = Waiter(exchange: exchange, route: route, requestID: id, since: now)
        // Waiting before it is sent: the verdict may come before the sending returns.
        let hasRoom = state.withLock { state in
            state.waiting.add(sendID, waiter, until: now + settings.deadline)
        }
        guard hasRoom else {
            throw Refusal(
                .unavailable, "too_many_waiting", "too many requests wait for their verdicts",
                retryAfter: 2)
        }
        observer.waiting(state.withLock { $0.waiting.count })
        guard !publisher.publish(record, sendID) else { return }
        give(
            Refusal(
                .unavailable, "too_many_unsent", "requests can't be sent as fast as they come",
                retryAfter: 2), to: sendID)
    }

    private func headers(of request: ExchangeRequest, _ sendID: SendID) -> [Header] {
        var headers = [
            sendID.asHeader, Header(name: "content-type", text: "application/json"),
            Header(name: "ce_source", text: settings.source),
        ]
        headers += ReplyAddress.headers(
            topic: settings.replyTopic, partition: settings.replyPartition)
        for name in ["traceparent", "tracestate"] {
            if let text = request.headers[name] { headers.append(Header(name: name, text: text)) }
        }
        return headers
    }

    // MARK: Verdicts

    /// Takes what came on the reply topic.
    ///
    /// - Parameters:
    ///   - value: the verdict.
    ///   - headers: those of its record, which tell what it answers.
    package func received(_ value: [UInt8]?, _ headers: [Header]) {
        guard let verdict = ReplyVerdict(value: value) else {
            observer.reply("unreadable")
            return
        }
        let waiter = SendID(headers).flatMap(take)
        observer.reply(waiter == nil ? "unawaited" : "answered")
        guard let waiter else { return }
        do throws(Refusal) {
            let answer = try GatewayAnswer.make(verdict, for: waiter.route)
            waiter.exchange.answer(answer)
            observer.answered(
                waiter.route.method, status: answer.status, reason: nil,
                duration: monotonic() - waiter.since)
        } catch {
            finish(waiter, error)
        }
    }

    /// A request can't be sent: whoever waits for it need not wait.
    package func give(_ refusal: Refusal, to id: SendID) {
        if let waiter = take(id) { finish(waiter, refusal) }
    }

    /// Answers those who have waited long enough; to be called several times a second.
    package func tick() {
        let now = monotonic()
        let (expired, count) = state.withLock { state in
            (state.waiting.takeExpired(now: now), state.waiting.count)
        }
        observer.waiting(count)
        for waiter in expired {
            finish(
                waiter,
                Refusal(
                    .unavailable, "deadline_exceeded",
                    "there is no verdict yet; repeat the request", retryAfter: 2))
        }
    }

    /// How many wait.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Lets nobody in any more; those who wait are still answered.
    package func drain() {
        state.withLock { $0.isDraining = true }
        observer.drains()
    }

    /// Answers all who still wait.
    package func abandon() {
        for waiter in state.withLock({ $0.waiting.takeAll() }) {
            finish(
                waiter,
                Refusal(.unavailable, "draining", "this instance stops", retryAfter: 1))
        }
    }

    private func take(_ id: SendID) -> Waiter? {
        let (waiter, count) = state.withLock { ($0.waiting.take(id), $0.waiting.count) }
        observer.waiting(count)
        return waiter
    }

    private func finish(_ waiter: Waiter, _ refusal: Refusal) {
        var refusal = refusal
        refusal.requestID = waiter.requestID
        waiter.exchange.answer(refusal.answer)
        observer.answered(
            waiter.route.method, status: refusal.status, reason: refusal.reason,
            duration: monotonic() - waiter.since)
    }

    private func finish(_ exchange: Exchange, _ refusal: Refusal, _ method: Method?) {
        exchange.answer(refusal.answer)
        observer.answered(method, status: refusal.status, reason: refusal.reason, duration: nil)
    }
}
