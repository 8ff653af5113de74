import AppAttest
import FoundationEssentials
import Harness
import LibCrypto
import RecordedVectors

/// Recorded vectors that one worker over one database can judge, with what it must know for that.
///
/// Files contradict each other on purpose: the same key with another stored sign count, the same
/// app with another environment. Each contradiction opens another run.
struct VectorRun {
    /// A key as it must be stored before the run.
    struct Row: Hashable {
        var publicKey: Data
        var appID: String
        var environment: String
        var signCount: UInt32
    }

    /// The vectors, in the order in which they are sent.
    private(set) var vectors: [RecordedVector] = []
    /// Each app with the one environment that its vectors ask for.
    private(set) var environments: [String: String] = [:]
    /// Keys to be stored.
    private(set) var rows: [Data: Row] = [:]
    /// Keys that must not be stored, as they are registered.
    private var registered: Set<Data> = []
    /// Keys whose sign count decides about a vector.
    private var counted: Set<Data> = []
    /// Whether the genuine apps must be unknown.
    private var isOfOtherApps: Bool?

    /// Distributes vectors over as few runs as it takes.
    static func plan(_ vectors: [RecordedVector]) throws -> [VectorRun] {
        var runs: [VectorRun] = []
        for vector in vectors {
            if try runs.indices.contains(where: { try runs[$0].take(vector) }) { continue }
            var run = VectorRun()
            guard try run.take(vector) else { throw HarnessFailure("\(vector) fits into no run") }
            runs.append(run)
        }
        return runs
    }

    /// Takes a vector in, unless it contradicts one that is in.
    private mutating func take(_ vector: RecordedVector) throws -> Bool {
        guard let appID = vector.appID, let keyID = vector.keyID else {
            throw HarnessFailure("\(vector) has no app or key")
        }
        let environment = vector.environment ?? environments[appID] ?? "development"
        let isOfOtherApp = vector.expected.reason == "app_id_mismatch"
        guard (isOfOtherApps ?? isOfOtherApp) == isOfOtherApp,
            (environments[appID] ?? environment) == environment
        else { return false }
        switch vector.kind {
        case .assertion:
            guard let publicKey = vector.publicKey, let signCount = vector.previousSignCount else {
                throw HarnessFailure("\(vector) has no stored key")
            }
            let row = Row(
                publicKey: publicKey, appID: appID, environment: environment, signCount: signCount)
            guard !registered.contains(keyID), (rows[keyID] ?? row) == row else { return false }
            if vector.isDecidedBySignCount {
                guard counted.insert(keyID).inserted else { return false }
            }
            rows[keyID] = row
        case .attestation where vector.isAccepted:
            guard rows[keyID] == nil else { return false }
            registered.insert(keyID)
        case .attestation: break
        case .receipt: throw HarnessFailure("\(vector) is no request")
        }
        isOfOtherApps = isOfOtherApp
        environments[appID] = environment
        vectors.append(vector)
        return true
    }

    /// What the worker must be told.
    var apps: [WorkerSettings.App] {
        environments.map { WorkerSettings.App(appId: $0.key, environments: [$0.value]) }
    }

    /// What each vector's verdict must be: a second registration of a key finds it known.
    var expectations: [String: Expectation] {
        var known: Set<Data> = []
        var expectations: [String: Expectation] = [:]
        for vector in vectors {
            expectations[vector.name] =
                switch (vector.kind, vector.expected.reason) {
                case (_, let reason?): .rejected(reason)
                case (.attestation, nil):
                    .accepted(reattested: !known.insert(vector.keyID ?? Data()).inserted)
                case (_, nil): .accepted()
                }
        }
        return expectations
    }
}

extension RecordedVector {
    /// Whether the file expects acceptance.
    var isAccepted: Bool { expected.outcome == "accept" }

    /// Whether the stored sign count has a say.
    fileprivate var isDecidedBySignCount: Bool {
        isAccepted || expected.reason == "counter_not_increasing"
    }

    /// The record that carries it: a request in the plain dialect, under its name.
    ///
    /// Its client data go as bytes where the hash is made of them, and as hash otherwise.
    func record() throws -> SentRecord {
        guard let keyID, let clientDataHash else { throw HarnessFailure("\(self) is incomplete") }
        var fields = ["requestId": name, "keyId": keyID.base64EncodedString()]
        let data = clientData ?? challenge
        if let data, SHA256.hash(Array(data)).bytes == Array(clientDataHash) {
            fields["clientData"] = data.base64EncodedString()
        } else {
            fields["clientDataHash"] = clientDataHash.base64EncodedString()
        }
        fields["attestation"] = attestation?.base64EncodedString()
        fields["assertion"] = assertion?.base64EncodedString()
        return SentRecord(
            key: Array(keyID.base64EncodedString().utf8),
            value: Array(try JSONEncoder().encode(fields)),
            timestamp: try validationMilliseconds().map(Instant.init(milliseconds:)))
    }
}
