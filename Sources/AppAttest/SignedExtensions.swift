/// What an OS 27 device signs about the app's code, in authenticator data.
///
/// All are absent from objects of earlier systems, and from apps that were built with an earlier
/// SDK. Unknown keys are let pass: Apple versions the names.
public struct SignedExtensions: Hashable, Sendable {
    /// The keys that are read.
    public enum Name: String, Hashable, Sendable, CaseIterable {
        /// How the code was signed and distributed.
        case validationCategory = "apple_validation_category_01"
        /// CFBundleVersion.
        case bundleVersion = "apple_bundle_version_01"
        /// Hash of the code directory.
        case cdHash = "apple_cd_hash_hash_01"
        /// Digest of the code directory hash.
        case cdHashType = "apple_cd_hash_type_01"
    }

    /// The most UTF-8 bytes of a bundle version.
    public static let bundleVersionByteCountMax = 256
    /// The most bytes of a code directory hash.
    public static let cdHashByteCountMax = 64

    /// How the code was signed and distributed.
    ///
    /// 1 platform, 2 TestFlight, 3 development, 4 App Store, 5 enterprise or ad hoc,
    /// 6 Developer ID; other numbers are passed on as they are.
    public let validationCategory: UInt32?
    /// The build number, such as `1314`; up to ``bundleVersionByteCountMax`` bytes without NUL.
    public let bundleVersion: String?
    /// The code directory hash; 20 and 32 bytes were seen.
    public let cdHash: [UInt8]?
    /// The digest of ``cdHash``: 2 is SHA-256.
    public let cdHashType: UInt8?
    /// Whether flag ED announces the extensions, so that it was the device that put them there.
    ///
    /// Early OS 27 builds leave the flag clear, so extensions are read without it too; then they
    /// prove less. What is signed is a hash over authenticator data and client data hash, with no
    /// border between the two, and the device takes a client data hash of any length. Whoever runs
    /// code inside the app can hand it a map with the real hash behind, and afterwards move the map
    /// to the authenticator data. A policy that must hold against that demands this flag.
    public let isAnnounced: Bool

    /// No extensions at all.
    static let none = SignedExtensions()

    /// What was read before, as far as it was kept: to ask what a policy says of it now.
    package init(
        keptValidationCategory: UInt32?, bundleVersion: String?, cdHash: [UInt8]?,
        cdHashType: UInt8?, isAnnounced: Bool
    ) {
        validationCategory = keptValidationCategory
        self.bundleVersion = bundleVersion
        self.cdHash = cdHash
        self.cdHashType = cdHashType
        self.isAnnounced = isAnnounced
    }

    private init() {
        validationCategory = nil
        bundleVersion = nil
        cdHash = nil
        cdHashType = nil
        isAnnounced = false
    }

    /// Reads bytes that must be exactly one CBOR map with text keys.
    init(
        parsing bytes: ArraySlice<UInt8>, isAnnounced: Bool
    ) throws(AuthenticatorDataFault) {
        let item: CBORItem
        do {
            item = try CBORReader.readWhole(bytes)
        } catch {
            throw .extensions(error)
        }
        guard case .map(let map) = item else { throw .extensions(nil) }
        guard map.hasOnlyTextKeys else { throw .extensionKeyType }
        validationCategory = try readCategory(map["apple_validation_category_01"])
        bundleVersion = try readBundleVersion(map["apple_bundle_version_01"])
        cdHash = try readHash(map["apple_cd_hash_hash_01"])
        cdHashType = try readHashType(map["apple_cd_hash_type_01"])
        self.isAnnounced = isAnnounced
    }
}

/// A byte string of four, little-endian, as devices send it; or an integer, as Apple's text says.
private func readCategory(_ item: CBORItem?) throws(AuthenticatorDataFault) -> UInt32? {
    switch item {
    case nil: return nil
    case .bytes(let bytes) where bytes.count == 4:
        return bytes.reversed().reduce(0) { value, byte in value << 8 | UInt32(byte) }
    case .unsigned(let value):
        guard let category = UInt32(exactly: value) else {
            throw .extensionValue(.validationCategory)
        }
        return category
    default: throw .extensionValue(.validationCategory)
    }
}

private func readBundleVersion(_ item: CBORItem?) throws(AuthenticatorDataFault) -> String? {
    guard let item else { return nil }
    guard case .text(let text) = item, text.count <= SignedExtensions.bundleVersionByteCountMax,
        // No text with a NUL can be kept in a database.
        !text.contains(0)
    else { throw .extensionValue(.bundleVersion) }
    return String(decoding: text, as: UTF8.self)
}

private func readHash(_ item: CBORItem?) throws(AuthenticatorDataFault) -> [UInt8]? {
    guard let item else { return nil }
    guard case .bytes(let bytes) = item, bytes.count <= SignedExtensions.cdHashByteCountMax else {
        throw .extensionValue(.cdHash)
    }
    return Array(bytes)
}

private func readHashType(_ item: CBORItem?) throws(AuthenticatorDataFault) -> UInt8? {
    guard let item else { return nil }
    guard case .bytes(let bytes) = item, bytes.count == 1, let type = bytes.first else {
        throw .extensionValue(.cdHashType)
    }
    return type
}
