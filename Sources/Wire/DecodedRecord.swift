/// What a record turned out to be.
package enum DecodedRecord: Hashable, Sendable {
    /// A request to judge.
    case request(Request)
    /// A request that the worker serves without judging an object.
    case service(ServiceRequest)
    /// A request that is refused before any judgement.
    case unjudgeable(UnjudgeableRequest)
    /// No request at all.
    case unreadable(UnreadableRecord)
}
