internal import Foundation

/// A certificate authority of a test's own, run by the `openssl` command in a temporary folder.
package final class TestCertificates: Sendable {
    /// A certificate with its key, both in PEM.
    package struct Identity: Sendable {
        /// The certificate's file.
        package var certificate: String
        /// The private key's file.
        package var key: String

        /// An identity from its files.
        package init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }

        /// The certificate's text.
        package var certificateText: String {
            get throws { try String(contentsOfFile: certificate, encoding: .utf8) }
        }

        /// The private key's text.
        package var keyText: String {
            get throws { try String(contentsOfFile: key, encoding: .utf8) }
        }
    }

    /// A command that failed, with its words.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Where everything is; deleted with this object.
    private let folder: URL

    /// The authority's own certificate.
    package var root: String { path("ca.pem") }

    /// Makes an authority.
    ///
    /// - Throws: ``Failure`` with openssl's words.
    package init() throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "attest-certificates-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let settings = """
            [ca]
            default_ca = this
            [this]
            dir = \(folder.path)
            database = \(path("index.txt"))
            new_certs_dir = \(folder.path)
            certificate = \(path("ca.pem"))
            private_key = \(path("ca.key"))
            rand_serial = yes
            unique_subject = no
            default_md = sha256
            default_days = 2
            default_crl_days = 2
            policy = any
            [any]
            commonName = supplied
            """
        try settings.write(toFile: path("ca.cnf"), atomically: false, encoding: .utf8)
        try "".write(toFile: path("index.txt"), atomically: false, encoding: .utf8)
        try openssl([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Test authority", "-days", "2",
        ])
    }

    deinit {
        // What is left behind in the temporary folder harms nobody.
        try? FileManager.default.removeItem(at: folder)
    }

    /// The path of a file in the folder.
    package func path(_ name: String) -> String {
        folder.appending(path: name).path
    }

    /// Issues a certificate.
    ///
    /// - Parameters:
    ///   - name: of its files.
    ///   - commonName: whom it is for.
    ///   - host: the host it is for; nil of a client's.
    ///   - isExpired: whether its time was years ago.
    ///   - isAuthority: whether it may issue others.
    ///   - issuer: an authority that the root has issued; nil is the root itself.
    /// - Returns: where it is.
    /// - Throws: ``Failure`` with openssl's words.
    package func issue(
        _ name: String, commonName: String, host: String? = nil, isExpired: Bool = false,
        isAuthority: Bool = false, by issuer: Identity? = nil
    ) throws -> Identity {
        try openssl([
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", name + ".key", "-out", name + ".csr", "-subj", "/CN=" + commonName,
        ])
        let names = host.map { "subjectAltName=DNS:\($0)\n" } ?? ""
        let extensions = "basicConstraints=CA:\(isAuthority ? "TRUE" : "FALSE")\n" + names
        try extensions.write(toFile: path(name + ".ext"), atomically: false, encoding: .utf8)
        let dates = ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z"]
        let authority = issuer.map { ["-cert", $0.certificate, "-keyfile", $0.key] } ?? []
        try openssl(
            [
                "ca", "-batch", "-notext", "-config", "ca.cnf", "-in", name + ".csr", "-out",
                name + ".pem", "-extfile", name + ".ext",
            ] + (isExpired ? dates : []) + authority)
        return Identity(certificate: path(name + ".pem"), key: path(name + ".key"))
    }

    /// Writes certificates into one file, the client's own first.
    ///
    /// - Returns: its path.
    package func chain(_ name: String, of identities: [Identity]) throws -> String {
        let text = try identities.map { try $0.certificateText }.joined()
        try text.write(toFile: path(name + ".pem"), atomically: false, encoding: .utf8)
        return path(name + ".pem")
    }

    /// Revokes a certificate.
    package func revoke(_ identity: Identity) throws {
        try openssl(["ca", "-config", "ca.cnf", "-revoke", identity.certificate])
    }

    /// The list of all that was revoked so far, in PEM.
    package func revocationList() throws -> String {
        try openssl(["ca", "-config", "ca.cnf", "-gencrl", "-out", "crl.pem"])
        return try String(contentsOfFile: path("crl.pem"), encoding: .utf8)
    }

    private func openssl(_ arguments: [String]) throws {
        let process = Process()
        let words = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = words
        try process.run()
        let text = try words.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(
                description: "openssl \(arguments.first ?? ""): "
                    + String(decoding: text, as: UTF8.self))
        }
    }
}
