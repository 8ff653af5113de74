package import AppAttest
package import LibCrypto
internal import Wire

/// Keys, credential certificates and whole apps whose requests are refused, whatever the database
/// says of them: also keys that nobody has registered yet.
///
/// It is read from a file as a whole, or not at all: see ``init(parsing:)``. Two lists are equal if
/// their files are, so that comparing two costs nothing.
package struct RevocationList: Sendable {
    /// The most bytes of a file.
    package static let bytesMax = 64 << 20
    /// The most entries of a list; a million keys take some 100 MB.
    package static let entriesMax = 1_000_000

    /// No list at all.
    package static let none = RevocationList()

    /// The keys.
    package private(set) var keys: Set<KeyID> = []
    /// Serial numbers of credential certificates.
    package private(set) var certificates: Set<CertificateSerial> = []
    /// App ids.
    package private(set) var apps: Set<String> = []
    /// SHA-256 of the file; nil where there is no list.
    package private(set) var digest: Digest32?

    private init() {}

    /// The first twelve digits of `digest`: which list it is, for people and dashboards.
    package var version: String {
        digest.map { $0.bytes.prefix(6).hexadecimal } ?? "none"
    }

    /// How many entries there are.
    package var count: Int { keys.count + certificates.count + apps.count }

    /// Why a genuine object is refused; nil if the list does not name it.
    ///
    /// - Parameters:
    ///   - keyID: its key.
    ///   - certificates: the serials of the certificates its key was attested with.
    ///   - appID: the app that it proves.
    /// - Returns: the widest reason first, as it explains most.
    func refusal(
        of keyID: KeyID?, certificates: [CertificateSerial], appID: String
    ) -> Reason? {
        if apps.contains(appID) { return .worker(.appRevoked) }
        if certificates.contains(where: self.certificates.contains) {
            return .worker(.certificateRevoked)
        }
        if let keyID, keys.contains(keyID) { return .worker(.keyRevoked) }
        return nil
    }
}

extension RevocationList: Hashable {
    /// By the digests of their files.
    package static func == (left: RevocationList, right: RevocationList) -> Bool {
        left.digest == right.digest
    }

    /// By the digest of the file.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
    }
}

// MARK: - The file

extension RevocationList {
    /// The first line of a file.
    package static let firstLine = "attest-revocations 1"

    /// What keeps a file from being a list.
    package struct Unreadable: Error, Hashable, CustomStringConvertible {
        /// The line, from 1; nil where it is about the whole file.
        package let line: Int?
        /// What it must be; nothing of what it holds.
        package let rule: String

        /// `line 7 must be …`, safe to log.
        package var description: String {
            line.map { "line \($0) \(rule)" } ?? rule
        }
    }

    /// Reads a file, all of it or nothing.
    ///
    ///     attest-revocations 1
    ///     # a comment; empty lines don't count either
    ///     key bSrEhF8TIzIvWSPwvZ0i2+UOBre4ASH84rK15m6emNY=
    ///     certificate 0193a5f0c2d1
    ///     app TEAM.com.example.app
    ///     end 3
    ///
    /// The number in the last line is that of the entries: a file that is cut off, or still being
    /// written, is told from a whole one.
    ///
    /// - Parameter file: the bytes.
    /// - Throws: the first line that is not as it must be.
    package init(parsing file: [UInt8]) throws(Unreadable) {
        guard file.count <= Self.bytesMax else {
            throw Unreadable(line: nil, rule: "the file is larger than \(Self.bytesMax) bytes")
        }
        var entries = 0
        var end: Int?
        var isBegun = false
        var number = 0
        let blanks: Set<UInt8> = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")]
        for line in file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            let words = line.split(whereSeparator: blanks.contains)
            guard let first = words.first, first.first != UInt8(ascii: "#") else { continue }
            guard isBegun else {
                guard words.joined(separator: [32]).elementsEqual(Self.firstLine.utf8) else {
                    throw Unreadable(line: number, rule: "must be: \(Self.firstLine)")
                }
                isBegun = true
                continue
            }
            guard end == nil else {
                throw Unreadable(line: number, rule: "stands behind the line that ends the list")
            }
            guard words.count == 2, let value = String(validating: words[1], as: UTF8.self) else {
                throw Unreadable(line: number, rule: Self.lineRule)
            }
            if first.elementsEqual("end".utf8) {
                end = Int(value)
                guard end == entries else {
                    throw Unreadable(
                        line: number, rule: "must end a list of \(entries): `end \(entries)`")
                }
                continue
            }
            try add(first, value, line: number)
            entries += 1
            guard entries <= Self.entriesMax else {
                throw Unreadable(line: number, rule: "is one entry more than \(Self.entriesMax)")
            }
        }
        guard isBegun, end != nil else {
            throw Unreadable(
                line: nil, rule: "the list is cut off: its last line must be `end \(entries)`")
        }
        digest = SHA256.hash(file)
    }

    private static let lineRule =
        "must be one of `key KEYID`, `certificate SERIAL`, `app APPID`, `end COUNT`"

    private mutating func add(
        _ kind: ArraySlice<UInt8>, _ value: String, line: Int
    ) throws(Unreadable) {
        if kind.elementsEqual("key".utf8) {
            guard let keyID = KeyID(text: value) else {
                throw Unreadable(line: line, rule: "must have base64 of 32 bytes behind `key`")
            }
            keys.insert(keyID)
        } else if kind.elementsEqual("certificate".utf8) {
            guard let serial = CertificateSerial(hexadecimal: value) else {
                throw Unreadable(
                    line: line, rule: "must have 1 to 40 hexadecimal digits behind `certificate`")
            }
            certificates.insert(serial)
        } else if kind.elementsEqual("app".utf8) {
            guard SettingsReader.isAppID(value) else {
                throw Unreadable(line: line, rule: "must have an app id behind `app`")
            }
            apps.insert(value)
        } else {
            throw Unreadable(line: line, rule: Self.lineRule)
        }
    }
}

extension Sequence<UInt8> {
    /// Two lower-case digits a byte.
    package var hexadecimal: String {
        var text = ""
        for byte in self {
            if byte < 16 { text += "0" }
            text += String(byte, radix: 16)
        }
        return text
    }
}
