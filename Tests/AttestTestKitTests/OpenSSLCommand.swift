import Foundation
import Testing

/// The `openssl` command: another reader of what the kit writes, with a folder for its files.
struct OpenSSLCommand: ~Copyable {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "attest-test-kit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        // What is left behind in the temporary folder harms nobody.
        try? FileManager.default.removeItem(at: folder)
    }

    /// What the command prints on standard output, unless it ends with an error.
    ///
    /// - Parameters:
    ///   - arguments: names of files are looked up in the folder.
    ///   - files: the files to be put there, by name.
    /// - Returns: what it prints; nil for an error.
    /// - Throws: when the command can't be run.
    func output(_ arguments: [String], files: [String: Data]) throws -> Data? {
        for (name, data) in files { try data.write(to: folder.appending(path: name)) }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? data : nil
    }

    /// The content of signed data in BER whose signature holds.
    ///
    /// - Parameters:
    ///   - signedData: the CMS object.
    ///   - root: the only trust anchor, in DER; nil leaves the chain unverified.
    ///   - seconds: the moment at which the chain is judged.
    /// - Returns: the content; nil when it is refused.
    /// - Throws: when the command can't be run.
    func content(of signedData: [UInt8], root: [UInt8]?, at seconds: Int64) throws -> Data? {
        var arguments = ["cms", "-verify", "-binary", "-inform", "DER", "-in", "signed.der"]
        arguments += ["-attime", String(seconds)]
        arguments += root == nil ? ["-noverify"] : ["-CAfile", "root.pem", "-no-CApath"]
        var files = ["signed.der": Data(signedData)]
        files["root.pem"] = root.map(Self.pem)
        return try output(arguments, files: files)
    }

    /// The elements of an encoding, one a line, without their offsets and lengths.
    func elements(of encoding: [UInt8]) throws -> [Element] {
        let text = try #require(
            try output(
                ["asn1parse", "-inform", "DER", "-in", "encoding.der"],
                files: ["encoding.der": Data(encoding)]))
        return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap(Element.init)
    }

    /// An element as `asn1parse` prints it: `13:d=1  hl=2 l=inf  cons: cont [ 0 ]`.
    struct Element: Hashable {
        var depth: Int
        var isIndefinite: Bool
        var isConstructed: Bool
        var tag: String
        /// The value, where one is printed.
        var value: String

        init?(line: Substring) {
            let columns = line.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
            guard columns.count > 2, let depth = Int(columns[1].prefix { $0 != " " }.dropFirst(2))
            else { return nil }
            self.depth = depth
            isIndefinite = columns[1].contains("l=inf")
            isConstructed = columns[1].hasSuffix("cons")
            let tag = columns[2].replacing("[HEX DUMP]", with: "")
            self.tag = tag.trimmingCharacters(in: .whitespaces)
            value = columns.count > 3 ? String(columns[3]) : ""
        }
    }

    private static func pem(_ der: [UInt8]) -> Data {
        let text = Data(der).base64EncodedString(options: .lineLength64Characters)
        return Data("-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n".utf8)
    }
}
