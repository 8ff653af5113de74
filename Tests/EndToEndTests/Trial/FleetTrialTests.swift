import Glibc
import Harness
import PostgresStore
import TestHTTPServer
import Testing

#if DEBUG
    extension EndToEndTests {
        /// An operator's trial of a fleet.
        ///
        /// Each thing it needs is broken and mended, and metrics, logs, health and alerts must tell
        /// the truth. docs/fleet-trial.md has it for a person.
        @Suite struct FleetTrialTests {
            private static let all = [0, 1, 2]

            @Test func `whatever breaks is told by probes, metrics, logs and alerts`()
                async throws
            {
                let fleet = try await TrialFleet()
                let start = ContinuousClock.now
                try await eventually(
                    "all share the topic, and no alert fires; \(fleet.workers)",
                    within: .seconds(90)
                ) {
                    // Until the first look at the workers, there are none.
                    try fleet.isWell && fleet.firing().isEmpty
                }
                var transcript: [String] = []
                for step in [
                    database, broker, verdictTopic, collectorAndSettings, deadAndFrozen, stuck,
                ] {
                    transcript += try await step.run(on: fleet)
                }
                try await fleet.finish()
                let total = (ContinuousClock.now - start) / .seconds(1)
                print(
                    """
                    The operator's trial of three workers, A, B and C; half a second is a minute \
                    of the alerts. It took \(Int(total)) s.
                    \(transcript.joined(separator: "\n"))
                    """)
            }

            private var database: TrialStep {
                TrialStep(
                    name: "PostgreSQL is stopped", harm: { try $0.postgres.stop(.immediate) },
                    signs: [
                        .probe("/readyz", 503, "no database", of: Self.all),
                        .metric(
                            "attest_worker_pg_connections", ["state": "broken"], of: Self.all
                        ) { $0 == 1 },
                        .metric("attest_worker_lane_blocked", of: Self.all) { $0 == 1 },
                        .log("retried", of: Self.all), .alert("AttestPostgresUnreachable"),
                        .alert("AttestNoProgress"), .alert("AttestLaneBlocked", of: Self.all),
                    ], alive: Self.all, mend: { try $0.postgres.start() })
            }

            private var broker: TrialStep {
                TrialStep(
                    name: "the brokers are away", hasTraffic: false,
                    harm: { try await $0.broker.command("down") },
                    signs: [
                        .probe("/readyz", 503, "is connected to no broker", of: Self.all),
                        .metric(
                            "attest_worker_kafka_brokers_up", ["client": "consumer"],
                            of: Self.all
                        ) { $0 == 0 },
                        .log("kafka_client", of: Self.all),
                        .alert("AttestKafkaUnreachable", of: Self.all),
                    ], alive: Self.all, mend: { try await $0.broker.command("up") })
            }

            private var verdictTopic: TrialStep {
                TrialStep(
                    name: "the verdict topic has no leaders",
                    harm: { try await lead($0, by: "none") },
                    signs: [
                        .log("reports_missing", of: Self.all),
                        .metric("attest_worker_unreported_verdicts", of: Self.all) { $0 > 0 },
                        .probe("/readyz", 503, "not reported as delivered", of: Self.all),
                        .alert("AttestNoProgress"),
                    ], alive: Self.all, mend: { try await lead($0, by: "1") })
            }

            private var collectorAndSettings: TrialStep {
                TrialStep(
                    name: "the collector of traces hangs up, and a reload finds nonsense",
                    harm: { fleet in
                        try fleet.collector.answer(.hangUp)
                        try fleet.world.replaceSettings(with: "{ apps: [ nonsense")
                        for worker in fleet.workers { worker.send(SIGHUP) }
                    },
                    signs: [
                        .log("spans_refused", of: Self.all), .log("reload_failed", of: Self.all),
                        .metric("attest_worker_spans_total", ["result": "dropped"], of: Self.all) {
                            $0 > 0
                        },
                        .metric("attest_worker_settings_last_reload_successful", of: Self.all) {
                            $0 == 0
                        },
                        .alert("AttestReloadFailed", of: Self.all),
                        .alert("AttestSpansDropped", of: Self.all),
                        .probe("/readyz", 200, of: Self.all),
                    ], alive: Self.all,
                    mend: { fleet in
                        try fleet.collector.answer(.take)
                        try fleet.world.change { _ in }
                        for worker in fleet.workers { worker.send(SIGHUP) }
                    })
            }

            private var deadAndFrozen: TrialStep {
                TrialStep(
                    name: "B is frozen and C is killed",
                    harm: { fleet in
                        fleet.workers[1].send(SIGSTOP)
                        try await fleet.workers[2].kill()
                    },
                    signs: [
                        .metric("attest_worker_assigned_partitions", of: [0]) {
                            $0 == Double(TrialFleet.partitions)
                        },
                        .alert("AttestWorkerDown", of: [1, 2]), .probe("/readyz", 200, of: [0]),
                    ], alive: [0],
                    mend: nil)
            }

            /// The worker that has a stuck lane is a new one, as the step of a lane at which it
            /// stands still is set by a variable.
            private var stuck: TrialStep {
                TrialStep(
                    name: "B thaws, and C is back with a lane that stands still",
                    harm: { fleet in
                        fleet.workers[1].send(SIGCONT)
                        try await fleet.restart(
                            2,
                            [
                                "STALL_AT": "keys-read:3",
                                "ATTEST_OPERATIONS__STALL_TIMEOUT": "14s",
                                "ATTEST_POSTGRES__STATEMENT_TIMEOUT": "500ms",
                                "ATTEST_POSTGRES__LOCK_TIMEOUT": "500ms",
                            ])
                    },
                    signs: [
                        .probe("/livez", 503, "is stuck", of: [2]),
                        .alert("AttestLaneStuck", of: [2]), .alert("AttestLag"),
                        .probe("/readyz", 200, of: [0, 1]),
                    ], alive: [0, 1],
                    mend: { fleet in
                        // As whoever watches the probe does.
                        try await fleet.workers[2].kill()
                        try await fleet.restart(2)
                    })
            }
        }
    }

    /// Gives every partition of the verdict topic this leader.
    private func lead(_ fleet: TrialFleet, by leader: String) async throws {
        for partition in 0..<TrialFleet.partitions {
            try await fleet.broker.command(
                "leader \(fleet.world.verdictTopic) \(partition) \(leader)")
        }
    }
#endif
