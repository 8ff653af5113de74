import Glibc
import Harness

/// The worker processes of a soak.
actor SoakFleet {
    /// A worker process.
    struct Member {
        let name: String
        let process: ChildProcess
    }

    /// The most workers at a time.
    static let most = 8
    /// How long a stop may take: the drain time, the deadlines behind it, and a busy machine.
    static let stopPatience: Duration = .seconds(60)

    private let servers: SoakServers
    private(set) var members: [Member] = []
    /// Processes whose end was asked for.
    private var asked: Set<pid_t> = []
    private var started = 0

    /// The one that no fault ends, whose memory and handles are watched.
    static let survivor = "worker-1"

    init(_ servers: SoakServers) {
        self.servers = servers
    }

    /// How many there are.
    var count: Int { members.count }

    /// Starts one more.
    ///
    /// Each third one has two lanes. Each fifth one has statements that time out before locks do.
    func start() async throws {
        started += 1
        let name = "worker-\(started)"
        var environment = [
            "ATTEST_POSTGRES__CONNECTION": SoakServers.conninfo(servers.proxy, worker: name)
        ]
        if started % 3 == 0 { environment["ATTEST_WORKER__LANES"] = "2" }
        if started % 5 == 2 {
            environment["ATTEST_POSTGRES__LOCK_TIMEOUT"] = "1s"
            environment["ATTEST_POSTGRES__STATEMENT_TIMEOUT"] = "1s"
        }
        let process = try await ChildProcess.start(
            BuildProducts.executable("attest-worker"), ["run", "--config", servers.settingsPath],
            environment: environment, folder: servers.folder, name: name)
        members.append(Member(name: name, process: process))
    }

    /// Takes one out of the list, by a number that may be any; never the survivor.
    func release(_ number: UInt64) -> Member? {
        let mortal = members.filter { $0.name != Self.survivor }
        guard !mortal.isEmpty else { return nil }
        let member = mortal[Int(number % UInt64(mortal.count))]
        members.removeAll { $0.name == member.name }
        asked.insert(member.process.processID)
        return member
    }

    /// A member by a number that may be any, which stays in the list.
    func member(_ number: UInt64) -> Member? {
        members.isEmpty ? nil : members[Int(number % UInt64(members.count))]
    }

    /// Stops some as an operator does, and checks that they end as promised.
    func stop(_ leaving: [Member]) async throws {
        for member in leaving {
            asked.insert(member.process.processID)
            member.process.send(SIGTERM)
        }
        for member in leaving {
            let end = try await member.process.waitForEnd(within: Self.stopPatience)
            // 75: what it waits for, a fault has taken away for longer than the drain time.
            guard [.exited(0), .exited(75)].contains(end) else {
                throw HarnessFailure("\(member.name) ended by SIGTERM with \(end)")
            }
        }
    }

    /// Stops all of them.
    func stopAll() async throws {
        let all = members
        members.removeAll()
        try await stop(all)
    }

    /// Takes those out that have ended.
    func takeDead() -> [(member: Member, end: ChildProcess.End, wasAsked: Bool)] {
        let dead = members.compactMap { member in
            member.process.ended.map {
                (member, $0, asked.contains(member.process.processID))
            }
        }
        members.removeAll { $0.process.ended != nil }
        return dead
    }

    /// Puts a member that was released and still lives back into the list.
    func takeBack(_ member: Member) {
        asked.remove(member.process.processID)
        members.append(member)
    }
}
