import LibCrypto
package import Wire

extension RequestIdentity {
    /// The identity of a record's request.
    ///
    /// By the gateway's request id where there is one, so that a request sent twice is one request.
    /// Otherwise by the record's place and timestamp: an offset alone would not do, as a topic that
    /// is deleted and made again uses its offsets again.
    package init(requestID: RequestID?, place: RecordPlace, timestampMilliseconds: Int64?) {
        if let requestID {
            self.init(SHA256.hash(Array("request id\u{0}\(requestID.text)".utf8)))
        } else {
            let stamp = timestampMilliseconds.map(String.init) ?? "none"
            let place = "\(place.topic)\u{0}\(place.partition)\u{0}\(place.offset)\u{0}\(stamp)"
            self.init(SHA256.hash(Array("record\u{0}\(place)".utf8)))
        }
    }

    /// The id of the verdict on this request: the same at every emission.
    package var verdictID: VerdictID {
        VerdictID(SHA256.hash(Array("verdict\u{0}".utf8), digest.bytes))
    }

    /// The id of the verdict on a record that misuses this request's id for other content.
    func conflictVerdictID(contentDigest: Digest32, place: RecordPlace) -> VerdictID {
        let location = "\(place.topic)\u{0}\(place.partition)\u{0}\(place.offset)"
        return VerdictID(
            SHA256.hash(
                Array("conflict\u{0}".utf8), digest.bytes, contentDigest.bytes, Array(location.utf8)
            ))
    }
}
