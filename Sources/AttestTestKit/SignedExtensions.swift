/// The extensions that OS 27 signs in authenticator data.
///
/// | key | value |
/// | --- | --- |
/// | `apple_bundle_version_01` | text: the build number of the app |
/// | `apple_validation_category_01` | 4 bytes, little-endian |
/// | `apple_cd_hash_hash_01` | 32 bytes: the code directory hash |
/// | `apple_cd_hash_type_01` | 1 byte; 2 is SHA-256 |
struct SignedExtensions {
    /// In the order in which they are written; empty when there is no map at all.
    var entries: [(key: CBOR, value: CBOR)]

    static let bundleVersionKey = CBOR.text("apple_bundle_version_01")
    static let validationCategoryKey = CBOR.text("apple_validation_category_01")
    static let codeDirectoryHashKey = CBOR.text("apple_cd_hash_hash_01")
    static let codeDirectoryHashTypeKey = CBOR.text("apple_cd_hash_type_01")

    /// What a device of this shape signs.
    init(_ device: SimulatedDevice) {
        let category = (
            key: Self.validationCategoryKey,
            value: CBOR.bytes(device.validationCategory.bigEndianBytes.reversed())
        )
        switch device.shape.signedExtensions {
        case .none: entries = []
        case .bundleVersionAndCategory:
            entries = [(Self.bundleVersionKey, .text(device.bundleVersion)), category]
        case .codeDirectoryHashAndCategory:
            entries = [
                (Self.codeDirectoryHashKey, .bytes(device.codeDirectoryHash)),
                (Self.codeDirectoryHashTypeKey, .bytes([2])), category,
            ]
        }
    }

    /// The map, or nothing.
    var encoded: [UInt8] {
        entries.isEmpty ? [] : CBOR.map(entries).encoded
    }
}
