/// Which device, system and SDK an object looks as if it came from.
///
/// | shape | flags | signed extensions | access control | beside it |
/// | --- | --- | --- | --- | --- |
/// | iOS 14 | 40 | none | none | |
/// | iOS 17 | 40 | none | none | more attributes in the credential certificate |
/// | iOS 18.5 | 40 | none | none | unsigned `cdHash` at the top of each object |
/// | iOS 26 | 40 | none | iOS's | |
/// | iOS 27 beta | 40 | category, bundle version | iOS's | |
/// | iOS 27 | c0 | category, bundle version | iOS's | |
/// | iOS 27, older SDK | 40 | none | iOS's | |
/// | macOS 27 | 40 | code directory hash, category | macOS's | |
/// | macOS 27, older SDK | 40 | none | macOS's | |
public enum DeviceShape: String, Hashable, Sendable, CaseIterable {
    /// The first system with App Attest.
    case iOS14
    /// A system whose credential certificates live for most of a year, if minted in that time.
    case iOS17
    /// A system that puts a `cdHash` map, which nothing signs, beside the genuine parts.
    case iOS18WithCodeDirectoryHash
    /// The first system with access control in the credential certificate.
    case iOS26
    /// Signed extensions without the flag that announces them.
    case iOS27Beta
    /// Signed extensions and their flag.
    case iOS27
    /// An app that was linked with an older SDK: no signed extensions.
    case iOS27WithOlderSDK
    /// A Mac: another access control, and a signed code directory hash.
    case macOS27
    /// An app on a Mac that was linked with an older SDK: no signed extensions.
    case macOS27WithOlderSDK

    /// Flag AT, and ED where the shape sets it.
    var flags: UInt8 {
        switch self {
        case .iOS27: 0xC0
        case .iOS14, .iOS17, .iOS18WithCodeDirectoryHash, .iOS26, .iOS27Beta, .iOS27WithOlderSDK,
            .macOS27, .macOS27WithOlderSDK:
            0x40
        }
    }

    /// What follows the fixed part of authenticator data.
    var signedExtensions: SignedExtensions {
        switch self {
        case .iOS14, .iOS17, .iOS18WithCodeDirectoryHash, .iOS26, .iOS27WithOlderSDK,
            .macOS27WithOlderSDK:
            .none
        case .iOS27Beta, .iOS27: .bundleVersionAndCategory
        case .macOS27: .codeDirectoryHashAndCategory
        }
    }

    /// Whether objects carry the unsigned map.
    var hasUnsignedCodeDirectoryHash: Bool {
        self == .iOS18WithCodeDirectoryHash
    }

    /// The platform as the credential certificate spells it.
    var platform: String {
        isMac ? "macosx" : "iphoneos"
    }

    /// Whether the device is a Mac.
    public var isMac: Bool {
        switch self {
        case .macOS27, .macOS27WithOlderSDK: true
        case .iOS14, .iOS17, .iOS18WithCodeDirectoryHash, .iOS26, .iOS27Beta, .iOS27,
            .iOS27WithOlderSDK:
            false
        }
    }

    /// The system's version, as the credential certificate tells it.
    public var operatingSystemVersion: String {
        switch self {
        case .iOS14: "14.4"
        case .iOS17: "17.3.1"
        case .iOS18WithCodeDirectoryHash: "18.5"
        case .iOS26: "26.1"
        case .iOS27Beta, .iOS27WithOlderSDK, .macOS27, .macOS27WithOlderSDK: "27.0"
        case .iOS27: "27.0.1"
        }
    }

    /// The system's build.
    var operatingSystemBuild: String {
        switch self {
        case .iOS14: "18D52"
        case .iOS17: "21D61"
        case .iOS18WithCodeDirectoryHash: "22F76"
        case .iOS26: "23B85"
        case .iOS27Beta: "24A325b"
        case .iOS27, .iOS27WithOlderSDK: "24A446"
        case .macOS27, .macOS27WithOlderSDK: "26A5378n"
        }
    }

    /// Which signed extensions there are.
    enum SignedExtensions {
        case none
        case bundleVersionAndCategory
        case codeDirectoryHashAndCategory
    }
}
