// What the gateway tells: a process of its own, so these are not in MetricTable.all.

extension MetricTable {
    /// What a gateway tells of its own.
    package static let gateway: [MetricFamily] = [
        gatewayBuild, gatewayRequests, gatewayRefusals, gatewayDuration, gatewayWaiting,
        gatewayConnections,
        gatewayCut, gatewayReplies, gatewayBrokers, gatewayState,
    ]
    /// All that is told at a gateway's `/metrics`.
    package static let ofGateway: [MetricFamily] =
        [processStart, cpu, resident, virtual, threads, openFiles, maxFiles] + gateway

    // Not the workers' own: alerts count those to know how many workers there are.
    static let gatewayBuild = MetricFamily(
        "attest_gateway_build", .info, labels: ["version", "swift", "librdkafka"],
        "Which gateway this is, and the libraries it runs with.")
    package static let gatewayRequests = MetricFamily(
        "attest_gateway_requests", .counter, labels: ["method", "status"],
        "Requests answered, by what was asked for and the HTTP status; method is empty where the"
            + " path has none.")
    package static let gatewayRefusals = MetricFamily(
        "attest_gateway_refusals", .counter, labels: ["reason"],
        "Requests answered with an error, by its reason: a verdict's, or the gateway's own.")
    package static let gatewayDuration = MetricFamily(
        "attest_gateway_request_duration_seconds", .histogram(latencyBounds), .seconds,
        labels: ["method"],
        "From a request's last byte to its answer, where a worker was asked.")
    package static let gatewayWaiting = MetricFamily(
        "attest_gateway_waiting_requests", .gauge, "Requests that wait for their verdicts.")
    package static let gatewayConnections = MetricFamily(
        "attest_gateway_connections", .gauge, "Connections.")
    package static let gatewayCut = MetricFamily(
        "attest_gateway_slow_connections_closed", .counter,
        "Connections closed because a request took too long to arrive.")
    package static let gatewayReplies = MetricFamily(
        "attest_gateway_replies", .counter, labels: ["result"],
        zeros: [["answered"], ["unawaited"], ["unreadable"]],
        "Records read from the gateway's partition of the reply topic: answered, someone waited;"
            + " unawaited, nobody did, or not any more; unreadable, no verdict.")
    package static let gatewayBrokers = MetricFamily(
        "attest_gateway_brokers_up", .gauge, labels: ["client"],
        "Brokers to which there is a connection, by Kafka client: reader, producer.")
    package static let gatewayState = MetricFamily(
        "attest_gateway_state", .gauge, labels: ["state"],
        "1 for the state the process is in, 0 for the others: starting, running, draining.")
}

extension MetricCells {
    /// What a gateway tells of its process.
    package init(gateway facts: WorkerFacts, _ figures: ProcessFigures) {
        self.init()
        let libraries = facts.libraries
        set(
            MetricTable.gatewayBuild,
            [facts.identity.version, libraries.swift, libraries.librdkafka], to: 1)
        set(MetricTable.processStart, to: facts.startedAt.microseconds)
        merge(figures.cells)
    }
}
