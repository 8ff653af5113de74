import AppAttest
import AttestTestKit
import Foundation
import LibCrypto
import RecordedVectors
import Testing

/// Receipts as OpenSSL's command reads them, and beside the recorded ones.
@Suite struct `Minted receipts` {
    static let authority = TestAuthority(seed: 1)
    /// The moment of the attestation: with a fraction that ends in zero.
    static let attestedAt = Instant(milliseconds: 1_790_000_000_460)
    static let refreshedAt = Instant(milliseconds: 1_790_400_000_307)

    static func device(_ environment: AttestationEnvironment = .production) -> SimulatedDevice {
        SimulatedDevice(
            seed: 7, appID: "TEAM.com.example.app", environment: environment, authority: authority)
    }

    /// What a verifier takes out of an attestation that was made at ``attestedAt``.
    private func verified(_ device: SimulatedDevice) throws -> VerifiedAttestation {
        let anchor = try #require(TrustAnchor(der: Self.authority.rootCertificate))
        let attestation = device.attest(
            clientDataHash: MintedObjects.clientDataHash, at: Self.attestedAt)
        let verifier = AttestationVerifier(relyingParties: [
            RelyingParty(
                appID: device.appID, environments: [device.environment], trustAnchor: anchor)
        ])
        var intermediates = VerifiedIntermediates()
        return try verifier.verify(
            attestation.object, keyID: attestation.keyID,
            clientDataHash: MintedObjects.clientDataHash, at: Self.attestedAt,
            intermediates: &intermediates)
    }

    private func refreshed(_ device: SimulatedDevice, riskMetric: UInt32 = 1) -> [UInt8] {
        device.refreshedReceipt(
            clientDataHash: MintedObjects.clientDataHash, attestedAt: Self.attestedAt,
            riskMetric: riskMetric, at: Self.refreshedAt)
    }

    /// The content of a receipt whose signature and chain hold.
    private func content(_ receipt: [UInt8], at instant: Instant) throws -> ReceiptContent {
        let content = try #require(
            try OpenSSLCommand().content(
                of: receipt, root: Self.authority.receiptRootCertificate,
                at: instant.milliseconds / 1000))
        return try #require(ReceiptContent(Array(content)))
    }

    @Test(arguments: [(AttestationEnvironment.production, "production"), (.development, "sandbox")])
    func `inside attestations say what was attested`(
        _ environment: AttestationEnvironment, _ name: String
    ) throws {
        let device = Self.device(environment)
        let receipt = try verified(device).receipt
        let content = try content(receipt, at: Self.attestedAt)
        #expect(content.fields.map(\.type) == [2, 3, 4, 5, 6, 7, 12, 21])
        #expect(content.fields.allSatisfy { $0.version == 1 })
        #expect(content.text(2) == device.appID)
        let credential = try #require(content.value(3))
        let object = device.attest(
            clientDataHash: MintedObjects.clientDataHash, at: Self.attestedAt
        ).object
        let occurrences = object.indices.count { object[$0...].starts(with: credential) }
        #expect(occurrences == 2, "in x5c, and in the first chunk of the receipt")
        #expect(content.value(4) == MintedObjects.clientDataHash.bytes)
        #expect(content.text(5).flatMap { Data(base64Encoded: $0) }?.count == 64)
        #expect(content.text(6) == "ATTEST")
        #expect(content.text(7) == name)
        #expect(content.text(12) == "2026-09-21T14:13:20.46Z")
        #expect(content.text(21) == "2026-12-20T14:13:20.46Z")
    }

    @Test func `of refreshes tell a risk metric, and the same key`() throws {
        let device = Self.device()
        let first = try content(try verified(device).receipt, at: Self.attestedAt)
        let content = try content(refreshed(device, riskMetric: 12), at: Self.refreshedAt)
        #expect(content.fields.map(\.type) == [17, 6, 2, 3, 4, 5, 7, 12, 19, 21])
        #expect(content.text(17) == "12")
        #expect(content.text(6) == "RECEIPT")
        for type in [2, 3, 5, 7] { #expect(content.value(type) == first.value(type)) }
        #expect(content.text(12) == "2026-09-26T05:20:00.307Z")
        #expect(content.text(19) == "2026-09-27T05:20:00.307Z")
        #expect(content.text(21) == "2026-12-25T05:20:00.307Z")
        let hash = MintedObjects.clientDataHash.bytes
        #expect(content.value(4) == Array(String(decoding: hash, as: UTF8.self).utf8))
        #expect(content.value(4) != hash)
    }

    /// Pairs of receipts that Apple issued for one key: the second tells the mangled hash.
    @Test func `mangle the client data hash as the recorded ones do`() throws {
        let openSSL = try OpenSSLCommand()
        var exact: [Data: [UInt8]] = [:]
        var mangled: [(Data, [UInt8])] = []
        for vector in try RecordedVectors.all(.receipt) {
            let receipt = Array(try #require(vector.receipt))
            let keyID = try #require(vector.keyID)
            guard let bytes = try openSSL.content(of: receipt, root: nil, at: 0) else { continue }
            let content = try #require(ReceiptContent(Array(bytes)))
            let hash = try #require(content.value(4))
            if content.text(6) == "ATTEST" {
                exact[keyID] = hash
            } else {
                mangled.append((keyID, hash))
            }
        }
        #expect(mangled.count >= 5)
        for (keyID, hash) in mangled {
            let original = try #require(exact[keyID])
            #expect(hash == Array(String(decoding: original, as: UTF8.self).utf8))
        }
    }

    @Test(arguments: ["ATTEST", "RECEIPT"])
    func `are built as the recorded ones of their type`(_ type: String) throws {
        let openSSL = try OpenSSLCommand()
        let device = Self.device()
        let minted = type == "ATTEST" ? try verified(device).receipt : refreshed(device)
        let recorded = try #require(
            try RecordedVectors.all().first {
                $0.name == "receipt-veehaitch-ios-14.4-\(type == "ATTEST" ? 1 : 2)"
                    + "-\(type.lowercased())"
            }?.receipt)
        let mintedElements = try openSSL.elements(of: minted)
        let recordedElements = try openSSL.elements(of: Array(recorded))
        #expect(skeleton(mintedElements) == skeleton(recordedElements))
        #expect(algorithms(mintedElements) == algorithms(recordedElements))

        let mintedContent = try #require(
            ReceiptContent(Array(try openSSL.content(of: minted, root: nil, at: 0) ?? Data())))
        let recordedContent = try #require(
            ReceiptContent(
                Array(try openSSL.content(of: Array(recorded), root: nil, at: 0) ?? Data())))
        #expect(mintedContent.fields.map(\.type) == recordedContent.fields.map(\.type))
        // The certificate is longer or shorter; all else is as long as it was.
        for type in [4, 5, 6, 17] where type != 4 || mintedContent.text(6) == "ATTEST" {
            #expect(mintedContent.value(type)?.count == recordedContent.value(type)?.count)
        }
    }

    /// All but lengths and values, down to the parts of certificates and of the signer's info.
    private func skeleton(_ elements: [OpenSSLCommand.Element]) -> [OpenSSLCommand.Element] {
        elements.filter { $0.depth <= 5 && $0.tag != "NULL" }.map { element in
            var element = element
            element.value = ""
            return element
        }
    }

    /// The algorithms, curves and extensions named, but for policies and services.
    private func algorithms(_ elements: [OpenSSLCommand.Element]) -> [String] {
        let names = [
            "commonName", "organizationName", "organizationalUnitName", "countryName",
            "stateOrProvinceName",
        ]
        let leftOut = [
            "Authority Information Access", "X509v3 Certificate Policies",
            "X509v3 CRL Distribution Points",
        ]
        return elements.filter { $0.tag == "OBJECT" }.map(\.value)
            .filter { !names.contains($0) && !leftOut.contains($0) }
    }

    @Test func `hold their content in chunks of 1,000 bytes`() throws {
        let elements = try OpenSSLCommand().elements(of: try verified(Self.device()).receipt)
        let chunks = elements.filter { $0.depth == 6 && $0.tag == "OCTET STRING" }.map {
            $0.value.count / 2
        }
        #expect(chunks.count == 2)
        #expect(chunks.first == 1000)
        #expect((1..<1000).contains(chunks.last ?? 0))
    }

    @Test func `end at no other root, and have no bit changed`() throws {
        let openSSL = try OpenSSLCommand()
        let receipt = refreshed(Self.device())
        let seconds = Self.refreshedAt.milliseconds / 1000
        let root = Self.authority.receiptRootCertificate
        #expect(try openSSL.content(of: receipt, root: root, at: seconds) != nil)
        let others = [
            Self.authority.rootCertificate, TestAuthority(seed: 2).receiptRootCertificate,
        ]
        for other in others {
            #expect(try openSSL.content(of: receipt, root: other, at: seconds) == nil)
        }
        var changed = receipt
        // In the first chunk of the content.
        changed[70] ^= 1
        #expect(try openSSL.content(of: changed, root: root, at: seconds) == nil)
    }

    /// Signers change every year: the first and last day of attestations, and some borders.
    @Test(
        arguments: [
            1_584_556_800, 1_616_025_599, 1_616_025_600, 1_700_000_000, 1_790_000_000,
            1_899_590_399,
        ] as [Int64])
    func `are signed by somebody whose certificate is valid`(_ seconds: Int64) throws {
        let receipt = Self.device().refreshedReceipt(
            clientDataHash: MintedObjects.clientDataHash, attestedAt: Self.attestedAt,
            at: Instant(seconds: seconds))
        let content = try content(receipt, at: Instant(seconds: seconds))
        #expect(content.text(12)?.hasSuffix(".0Z") == true)
    }

    @Test func `are the same each time, and differ by seed, moment and metric`() {
        let device = Self.device()
        let receipts = [
            refreshed(device), refreshed(device, riskMetric: 2),
            refreshed(Self.device(.development)),
            refreshed(
                SimulatedDevice(seed: 8, appID: device.appID, authority: Self.authority)),
            device.refreshedReceipt(
                clientDataHash: MintedObjects.clientDataHash, attestedAt: Self.attestedAt,
                at: Self.attestedAt),
        ]
        #expect(Set(receipts).count == receipts.count)
        #expect(refreshed(Self.device()) == receipts.first)
    }
}
