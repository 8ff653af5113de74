package import AppAttest
internal import FoundationEssentials

/// What stays of a stored verdict when its key is erased: enough to answer the request again.
///
/// The answer becomes `key_erased` whatever it was: a request that comes again after the erasure
/// must not be told `accepted`. Subject, versions, environment and sign count go. The key id, the
/// request id and the record's place stay, as nobody could tell what is answered without them.
package struct ErasedVerdict: Hashable, Sendable {
    /// The key that the verdict names.
    package let keyID: KeyID
    /// The verdict that takes its place, as JSON.
    package let bytes: [UInt8]

    /// Reads a verdict as it was stored; nil if it is none, or one that names no key.
    ///
    /// - Parameter stored: the bytes of ``Verdict/encode()``.
    package init?(of stored: [UInt8]) {
        guard let read = try? JSONDecoder().decode(Stored.self, from: Data(stored)),
            let keyText = read.keyId, let keyID = KeyID(text: keyText)
        else { return nil }
        let outcome = Verdict.Outcome.rejected(.worker(.keyErased))
        var object = JSONWriter()
        object.add("keyId", keyID.text)
        object.add("outcome", outcome.name)
        object.add("reason", outcome.reason?.code)
        object.add("requestId", read.requestId)
        object.add("retryable", outcome.reason?.isRetryable)
        let place = RecordPlace(
            topic: read.source.topic, partition: read.source.partition,
            offset: read.source.offset)
        object.add("source") { place.write(to: &$0) }
        object.add("type", read.type)
        object.add("verdictId", read.verdictId)
        self.keyID = keyID
        bytes = object.close()
    }

    private struct Stored: Decodable {
        struct Source: Decodable {
            var topic: String
            var partition: Int32
            var offset: Int64
        }

        var keyId: String?
        var requestId: String?
        var type: String?
        var verdictId: String
        var source: Source
    }
}
