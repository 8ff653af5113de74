/// A COSE key (RFC 9053, 7.1.1) as authenticator data holds it.
struct COSEKey {
    /// In the order in which they are written.
    var entries: [(key: CBOR, value: CBOR)]

    /// Where the key type stands.
    static let keyTypePlace = 0
    /// Where the algorithm stands.
    static let algorithmPlace = 1
    /// Where the curve stands.
    static let curvePlace = 2
    /// Where the second coordinate stands.
    static let secondCoordinatePlace = 4

    /// The key of a P-256 point in uncompressed form: type EC2, algorithm ES256, curve P-256.
    init(point: [UInt8]) {
        let coordinates = point.dropFirst()
        entries = [
            (.unsigned(1), .unsigned(2)),
            (.unsigned(3), .negative(6)),
            (.negative(0), .unsigned(1)),
            (.negative(1), .bytes(Array(coordinates.prefix(32)))),
            (.negative(2), .bytes(Array(coordinates.dropFirst(32)))),
        ]
    }

    /// The key as an item.
    var encodable: CBOR {
        .map(entries)
    }
}
