internal import AppAttest

// A report as metrics: the lanes' counts added up, and gauges as things stand.

extension WorkerReport {
    /// All that the lanes and the process tell of themselves.
    package var cells: MetricCells {
        var cells = MetricCells()
        cells.addZeros()
        for lane in lanes {
            cells.merge(lane.cells)
            cells.merge(lane.gauges(in: self))
        }
        let libraries = facts.libraries
        cells.set(
            MetricTable.build,
            [
                facts.identity.version, libraries.swift, libraries.librdkafka, libraries.libpq,
                libraries.openssl,
            ], to: 1)
        for state in WorkerState.allCases {
            cells.set(MetricTable.state, [state.rawValue], to: state == self.state ? 1 : 0)
        }
        for state in LaneState.allCases {
            let count = lanes.count { $0.state == state }
            cells.set(MetricTable.lanesByState, [state.rawValue], to: count)
        }
        cells.set(MetricTable.apps, to: appIDs.count)
        cells.set(MetricTable.simulatedApps, to: simulatedAppIDs.count)
        cells.set(MetricTable.reloads, ["done"], to: reloads.done)
        cells.set(MetricTable.reloads, ["failed"], to: reloads.failed)
        cells.set(MetricTable.lastReload, to: reloads.hasLastFailed ? 0 : 1)
        cells.set(MetricTable.processStart, to: facts.startedAt.microseconds)
        return cells
    }
}

extension LaneReport {
    fileprivate func gauges(in worker: WorkerReport) -> MetricCells {
        var cells = MetricCells()
        let lane = [String(number)]
        cells.set(MetricTable.laneProgress, lane, to: progressAt.microseconds)
        cells.set(MetricTable.laneBlocked, lane, to: trouble == nil ? 0 : 1)
        cells.set(MetricTable.inHandRecords, to: inHandRecords)
        cells.set(MetricTable.inHandBytes, to: inHandBytes)
        cells.set(MetricTable.unreported, to: unreported)
        for state in StoreState.allCases {
            cells.set(
                MetricTable.connections, [state.rawValue],
                to: !hasEnded && state == storeState ? 1 : 0)
        }
        guard !hasEnded else { return cells }
        for topic in Set(partitions.keys.map(\.topic)) {
            let count = partitions.keys.count { $0.topic == topic }
            cells.set(MetricTable.assigned, [topic], to: count)
        }
        for partition in partitions.keys { set(partition, in: &cells, worker) }
        for role in KafkaClientRole.allCases { set(role, in: &cells) }
        return cells
    }

    private func set(
        _ place: TopicPartition, in cells: inout MetricCells, _ worker: WorkerReport
    ) {
        guard let partition = partitions[place] else { return }
        let labels = [place.topic, String(place.partition)]
        func set(_ family: MetricFamily, _ value: Int64?) {
            if let value { cells.set(family, labels, to: Int(value)) }
        }
        set(MetricTable.position, partition.position)
        set(MetricTable.committed, partition.committed)
        set(MetricTable.highWatermark, highWatermark(of: place))
        if let known = statistics[.consumer]?.partitions[place] {
            set(MetricTable.stableOffset, known.stableOffset)
            set(MetricTable.fetchQueueMessages, Int64(known.queuedRecords))
            set(MetricTable.fetchQueueBytes, Int64(known.queuedBytes))
        }
        let lag = lag(of: place)
        guard lag != nil || partition.oldestInHand != nil else { return }
        let group = [worker.facts.groupID] + labels
        if let lag { cells.set(MetricTable.lagMessages, group, to: Int(lag)) }
        let waiting = partition.oldestInHand ?? partition.behindSince
        let age = waiting.map { max(0, worker.now.microseconds &- $0.microseconds) } ?? 0
        cells.set(MetricTable.lagSeconds, group, to: age)
    }

    private func set(_ role: KafkaClientRole, in cells: inout MetricCells) {
        guard let told = statistics[role] else { return }
        if role == .producer {
            cells.set(MetricTable.producerQueueMessages, to: told.queuedRecords)
            cells.set(MetricTable.producerQueueBytes, to: told.queuedBytes)
        }
        if let state = told.joinState, let age = told.rebalanceAge {
            cells.set(
                MetricTable.joinStateAge, [String(number), state], to: age.wholeMicroseconds)
        }
        cells.set(MetricTable.brokersUp, [role.rawValue], to: told.brokers.count(where: \.isUp))
        for broker in told.brokers {
            for (percentile, time) in broker.roundTrips {
                cells.set(
                    MetricTable.brokerRoundTrip, [role.rawValue, broker.name, percentile],
                    to: time.wholeMicroseconds)
            }
        }
    }

    private var storeState: StoreState {
        if storeFault != nil { return .broken }
        return isStoreBusy ? .busy : .idle
    }
}

private enum StoreState: String, CaseIterable {
    case idle
    case busy
    case broken
}

extension Instant {
    /// Since 1970; clamped.
    var microseconds: Int {
        let (product, isBeyond) = milliseconds.multipliedReportingOverflow(by: 1000)
        return isBeyond ? (milliseconds < 0 ? .min : .max) : Int(product)
    }
}
