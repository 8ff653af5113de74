internal import FoundationEssentials
package import Operations
internal import Synchronization
package import Worker

/// Where a gateway tells what happens, and where others look.
package final class GatewayObserver: OperationsSource {
    private struct State {
        var cells = MetricCells()
        var waiting = 0
        var isReading = false
        var isDraining = false
        var brokersUp: [KafkaClientRole: Int] = [:]
        var fault: Fault?
        var signOfLife: Duration
        var connections = 0
    }

    /// After so long without a sign of life its threads are taken for stuck.
    package static let stallTimeout: Duration = .seconds(60)

    /// What does not change while it runs.
    package let facts: WorkerFacts
    private let figures: @Sendable () -> ProcessFigures
    private let monotonic: @Sendable () -> Duration
    private let state: Mutex<State>

    /// An observer of a gateway that has not begun.
    ///
    /// - Parameters:
    ///   - facts: what does not change.
    ///   - figures: what the system tells of the process.
    ///   - monotonic: a clock that does not jump.
    package init(
        facts: WorkerFacts, figures: @escaping @Sendable () -> ProcessFigures,
        monotonic: @escaping @Sendable () -> Duration
    ) {
        self.facts = facts
        self.figures = figures
        self.monotonic = monotonic
        var state = State(signOfLife: monotonic())
        state.cells.addZeros(MetricTable.gateway)
        self.state = Mutex(state)
    }

    // MARK: What happens

    func answered(_ method: Method?, status: UInt32, reason: String?, duration: Duration?) {
        let method = method?.rawValue ?? ""
        state.withLock { state in
            state.cells.count(MetricTable.gatewayRequests, [method, String(status)])
            if let reason { state.cells.count(MetricTable.gatewayRefusals, [reason]) }
            if let duration {
                state.cells.observe(MetricTable.gatewayDuration, [method], duration)
            }
        }
    }

    func reply(_ result: String) {
        state.withLock { $0.cells.count(MetricTable.gatewayReplies, [result]) }
    }

    func waiting(_ count: Int) {
        state.withLock { $0.waiting = count }
    }

    func drains() {
        state.withLock { $0.isDraining = true }
    }

    /// Its partition is being read, or is not for the given reason.
    func reads(_ fault: Fault?) {
        state.withLock { state in
            state.isReading = fault == nil
            state.fault = fault
        }
    }

    /// A Kafka client told of itself.
    func told(_ statistics: ClientStatistics, by role: KafkaClientRole) {
        state.withLock { $0.brokersUp[role] = statistics.brokers.count(where: \.isUp) }
    }

    /// The process has a round of its own work behind it.
    package func isAlive(connections: Int, cut: Int) {
        let now = monotonic()
        state.withLock { state in
            state.signOfLife = now
            state.connections = connections
            if cut > 0 { state.cells.count(MetricTable.gatewayCut, by: cut) }
        }
    }

    // MARK: What is told

    /// Whether requests have a broker to go to and replies one to come from.
    ///
    /// The reader alone is asked, which fetches all the time: a producer that has had nothing to
    /// send for long is connected to no broker, and connects when it has. One that has told nothing
    /// yet is believed to be connected.
    var isConnected: Bool {
        state.withLock { $0.isReading && $0.brokersUp[.consumer] != 0 }
    }

    /// All metrics as text.
    package func metrics(as format: MetricText.Format) -> [UInt8] {
        let state = state.withLock { $0 }
        var cells = MetricCells(gateway: facts, figures())
        cells.merge(state.cells)
        cells.set(MetricTable.gatewayWaiting, to: state.waiting)
        cells.set(MetricTable.gatewayConnections, to: state.connections)
        for (role, count) in state.brokersUp {
            cells.set(MetricTable.gatewayBrokers, [name(of: role)], to: count)
        }
        let current = stateName(state)
        for name in ["starting", "running", "draining"] {
            cells.set(MetricTable.gatewayState, [name], to: name == current ? 1 : 0)
        }
        return MetricText.render(cells, as: format, MetricTable.ofGateway)
    }

    /// How it stands, by a rule.
    package func health(_ question: HealthQuestion) -> Health {
        let state = state.withLock { $0 }
        var problems: [String] = []
        switch question {
        case .liveness:
            let silence = monotonic() - state.signOfLife
            if silence > facts.stallTimeout { problems.append("the gateway is stuck") }
        case .readiness:
            if state.isDraining { problems.append("the gateway is draining") }
            if !state.isReading {
                problems.append(
                    "the reply topic is not read: "
                        + (state.fault?.description ?? "no broker has answered yet"))
            }
            if state.brokersUp[.consumer] == 0 {
                problems.append("the reader is connected to no broker")
            }
        case .startup:
            if !state.isReading { problems.append("the reply topic is not read yet") }
        }
        return Health(problems: problems)
    }

    /// How it stands, as JSON.
    package var statusJSON: [UInt8] {
        let state = state.withLock { $0 }
        return JSONText.object([
            ("state", .text(stateName(state))), ("waiting", .number(state.waiting)),
            ("connections", .number(state.connections)),
            ("readsReplies", .flag(state.isReading)),
            (
                "brokersUp",
                .object(
                    state.brokersUp.map { (name(of: $0.key), .number($0.value)) }
                        .sorted { $0.0 < $1.0 })
            ), ("fault", .text(state.fault?.description ?? "")),
        ]).bytes + [UInt8(ascii: "\n")]
    }

    /// None: a gateway makes no tokens.
    package var keySet: [UInt8]? { nil }

    private func stateName(_ state: State) -> String {
        state.isDraining ? "draining" : state.isReading ? "running" : "starting"
    }

    /// The client that reads is told as that: it is in no group.
    private func name(of role: KafkaClientRole) -> String {
        switch role {
        case .consumer: "reader"
        case .producer: "producer"
        }
    }
}
