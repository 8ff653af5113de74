/// Why a JSON object is not a request that can be judged.
///
/// Its text names fields of ours and never holds a byte of the message.
enum RequestProblem: Error, Hashable, Sendable {
    /// The message breaks the schema.
    case malformed(String)
    /// The message is of a kind that this version can't judge.
    case unsupported(String)
    /// The artifact is not one that a worker could have made.
    case foreignArtifact(String)

    /// The reason that the verdict gives.
    var reason: WorkerReason {
        switch self {
        case .malformed: .malformedMessage
        case .unsupported: .unsupportedFormat
        case .foreignArtifact: .artifactInvalid
        }
    }

    /// One phrase, safe to log.
    var detail: String {
        switch self {
        case .malformed(let detail), .unsupported(let detail), .foreignArtifact(let detail): detail
        }
    }
}
