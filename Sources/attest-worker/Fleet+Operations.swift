import KafkaTransport
import LibCrypto
import Operations
import PostgresStore
import TraceExport
import Worker

// What a fleet tells of itself over HTTP.

extension Fleet {
    /// What is told of the process.
    func observer(
        lanes: Int, stop: StopSignal, spans: SpanExporter?, receipts: RefreshObserver?
    ) -> WorkerObserver {
        let facts = WorkerFacts(
            identity: identity, libraries: .ofThisProcess, groupID: settings.kafka.groupID,
            startedAt: LaneClock.system.wall(), stallTimeout: settings.operations.stallTimeout)
        return WorkerObserver(
            facts: facts, laneCount: lanes, policy: live.policy, reloads: live.reloads,
            clock: .system, stop: stop,
            figures: {
                var figures = ProcessFigures.ofThisProcess()
                let counts = spans?.counts
                figures.spansSent = counts?.sent
                figures.spansDropped = counts?.dropped
                figures.receipts = receipts?.cells
                figures.revocations = revocations?.report
                return figures
            })
    }

    /// Starts the thread that sends spans, if there are to be any.
    ///
    /// Without a thread the worker does all else: traces are for looking.
    func start(_ exporter: SpanExporter?) {
        guard let exporter, !exporter.start({ DetachedThread.start($0) }) else { return }
        log(.error, "thread_refused", "the system can't start a thread for spans")
    }

    /// Reads the list of revocations in full, and starts the thread that follows its file.
    ///
    /// - Returns: whether requests may be judged: not with a list that can't be used, or followed.
    func watchRevocations(until stop: StopSignal) -> Bool {
        guard let revocations else { return true }
        guard revocations.begin() else { return false }
        guard DetachedThread.start({ revocations.watch(until: stop) }) else {
            log(.error, "thread_refused", "the system can't start a thread for revocations")
            return false
        }
        return true
    }

    /// Opens the HTTP endpoints.
    func startEndpoints(_ observer: WorkerObserver) throws(Fault) -> OperationsServer? {
        guard let text = settings.operations.listen else { return nil }
        guard let address = ListenAddress(text) else {
            throw Fault(
                operation: "listen on \(text)", code: "operations_listen",
                disposition: .stop(.config), message: "operations.listen is no address and port")
        }
        let server = try OperationsServer(address: address, observer: observer)
        log(
            .info, "operations_listening", "metrics and health are told over HTTP",
            ["address": LogValue(server.address.description)])
        return server
    }
}

extension LaneObserver {
    /// A log for what one of the lane's Kafka clients says, which counts its warnings.
    func log(_ log: Log, of role: KafkaClientRole) -> KafkaLog {
        { line in
            log.write(line)
            if line.level <= KafkaLogLine.warningLevel {
                self.kafkaWarned(role, code: line.facility)
            }
        }
    }
}

extension LibraryVersions {
    /// Those that are loaded.
    static let ofThisProcess = LibraryVersions(
        swift: Version.swift, librdkafka: KafkaSettings.libraryVersion,
        libpq: PostgresSettings.libraryVersion, openssl: libcryptoVersion)
}
