public import AppAttest
import LibCrypto

/// Ways to lie in the COSE key of an attestation's authenticator data; the nonce is made over it.
///
/// Each must be refused with `cose_key_mismatch`, but for ``notAMap``, ``repeatedEntry`` and
/// ``indefiniteMap``: `malformed_auth_data`.
public enum COSEKeyLie: String, Hashable, Sendable, CaseIterable {
    /// Text stands in the place of the COSE key.
    case notAMap
    /// An entry stands there twice.
    case repeatedEntry
    /// The map has no length, but an end mark.
    case indefiniteMap
    /// The key is another one.
    case otherKey
    /// There is an entry more.
    case extraEntry
    /// There is no algorithm.
    case noAlgorithm
    /// There is no second coordinate.
    case noSecondCoordinate
    /// The algorithm is ES384.
    case otherAlgorithm
    /// The key type is OKP.
    case otherKeyType
    /// The curve is P-384.
    case otherCurve
    /// A sign bit stands in the place of the second coordinate.
    case compressed
    /// The second coordinate lacks its last byte.
    case shortCoordinate

    /// What a verifier must say.
    public var rejection: RejectionCode {
        switch self {
        case .notAMap, .repeatedEntry, .indefiniteMap: .malformedAuthData
        case .otherKey, .extraEntry, .noAlgorithm, .noSecondCoordinate, .otherAlgorithm,
            .otherKeyType, .otherCurve, .compressed, .shortCoordinate:
            .coseKeyMismatch
        }
    }

    /// What stands in the place of a device's COSE key.
    func coseKey(of device: SimulatedDevice) -> CBOR {
        let point = device.key.publicPoint
        var key = COSEKey(point: point)
        switch self {
        case .notAMap: return .text("key")
        case .repeatedEntry: key.entries += key.entries.prefix(1)
        case .indefiniteMap:
            return .verbatim([0xBF] + key.encodable.encoded.dropFirst() + [0xFF])
        case .otherKey: key = COSEKey(point: device.otherKey.publicPoint)
        case .extraEntry: key.entries.append((.negative(3), .unsigned(0)))
        case .noAlgorithm: key.entries.remove(at: COSEKey.algorithmPlace)
        case .noSecondCoordinate: key.entries.removeLast()
        case .otherAlgorithm: key.entries[COSEKey.algorithmPlace].value = .negative(34)
        case .otherKeyType: key.entries[COSEKey.keyTypePlace].value = .unsigned(1)
        case .otherCurve: key.entries[COSEKey.curvePlace].value = .unsigned(2)
        case .compressed:
            key.entries[COSEKey.secondCoordinatePlace].value = .verbatim([0xF5])
        case .shortCoordinate:
            key.entries[COSEKey.secondCoordinatePlace].value = .bytes(point.suffix(32).dropLast())
        }
        return key.encodable
    }
}
