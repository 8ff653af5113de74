package import AppAttest
package import LibCrypto
package import Wire

/// Which request a record holds, told without judging it.
package struct IdentifiedRequest: Hashable, Sendable {
    /// Which request it is.
    package let identity: RequestIdentity
    /// SHA-256 of the request's content.
    package let contentDigest: Digest32
    /// The key, where the message names one.
    package let keyID: KeyID?

    /// Tells which request it is; nil where there is none in the record.
    package init?(_ decoded: DecodedRecord, in record: Record) {
        let requestID: RequestID?
        switch decoded {
        case .request(let request):
            (requestID, contentDigest, keyID) = (request.requestID, request.digest, request.keyID)
        case .service(let request):
            (requestID, contentDigest, keyID) = (request.requestID, request.digest, nil)
        case .unjudgeable(let request):
            (requestID, contentDigest, keyID) = (request.requestID, request.digest, request.keyID)
        case .unreadable:
            return nil
        }
        identity = RequestIdentity(
            requestID: requestID, place: record.place,
            timestampMilliseconds: record.timestampMilliseconds)
    }
}
