import AppAttest
import AttestTestKit
import CBORWriter
import LibCrypto
import Testing

@Suite struct `Minted assertions` {
    private func verify(
        _ object: [UInt8], _ device: SimulatedDevice,
        clientDataHash: ClientDataHash = MintedWorld.clientDataHash
    ) throws -> Result<VerifiedAssertion, Rejection> {
        let publicKey = try #require(P256PublicKey(x963: device.publicKey))
        do throws(Rejection) {
            return .success(
                try AssertionVerifier().verify(
                    object, clientDataHash: clientDataHash, publicKey: publicKey,
                    appID: device.appID))
        } catch {
            return .failure(error)
        }
    }

    private func rejectionCode(
        _ object: [UInt8], _ device: SimulatedDevice
    ) throws -> RejectionCode? {
        switch try verify(object, device) {
        case .success: nil
        case .failure(let rejection): rejection.code
        }
    }

    @Test(arguments: DeviceShape.allCases)
    func `of honest devices are accepted`(_ shape: DeviceShape) throws {
        var device = MintedWorld.device(shape)
        for signCount: UInt32 in 1...3 {
            let assertion = device.assert(clientDataHash: MintedWorld.clientDataHash)
            let verified = try verify(assertion.object, device).get()
            #expect(verified.appID == MintedWorld.appID)
            #expect(verified.signCount == signCount)
            #expect(assertion.signCount == signCount)
        }
    }

    /// No border is signed between authenticator data and client data hash.
    ///
    /// So whoever chooses the latter can move its beginning over; only flag ED tells.
    @Test func `tell extensions that the device announced from those that may be forged`() throws {
        let device = MintedWorld.device(.iOS26)
        let forged = CBORWriter.encode(
            .map(
                CBORMap(entries: [
                    .init(
                        key: .text(Array("apple_validation_category_01".utf8)[...]),
                        value: .bytes([4, 0, 0, 0]))
                ])))
        let handed = try #require(
            ClientDataHash(exactly: forged + MintedWorld.clientDataHash.bytes))
        let signed = try AssertionObject(
            parsing: device.assert(clientDataHash: handed, signCount: 1).object)
        let moved = CBORWriter.encode(
            .map(
                CBORMap(entries: [
                    .init(
                        key: .text(Array("signature".utf8)[...]), value: .bytes(signed.signature)),
                    .init(
                        key: .text(Array("authenticatorData".utf8)[...]),
                        value: .bytes(signed.authenticatorData + forged)),
                ])))
        let verified = try verify(moved, device).get()
        #expect(verified.extensions.validationCategory == 4)
        #expect(!verified.extensions.isAnnounced)

        for (shape, isAnnounced) in [(DeviceShape.iOS27, true), (.iOS27Beta, false)] {
            var device = MintedWorld.device(shape)
            let honest = device.assert(clientDataHash: MintedWorld.clientDataHash)
            #expect(
                try verify(honest.object, device).get().extensions.isAnnounced == isAnnounced)
        }
    }

    @Test(arguments: [0, 1, 0x7FFF_FFFF, 0x8000_0000, UInt32.max])
    func `tell the sign count that was asked for`(_ signCount: UInt32) throws {
        let device = MintedWorld.device(.iOS27)
        let assertion = device.assert(
            clientDataHash: MintedWorld.clientDataHash, signCount: signCount)
        #expect(try verify(assertion.object, device).get().signCount == signCount)
        #expect(device.signCount == 0)
    }

    /// One signature in 128 or so has a number that begins with zeros, and then is shorter.
    @Test func `with short signatures are accepted`() throws {
        let device = MintedWorld.device(.iOS14)
        let assertions = (1...2000 as ClosedRange<UInt32>).lazy.map {
            device.assert(clientDataHash: MintedWorld.clientDataHash, signCount: $0)
        }
        let byteCounts = Set(assertions.map(\.object.count))
        let short = try #require(
            assertions.first { $0.object.count == byteCounts.min() })
        // Both numbers with a leading bit make 72 bytes; each that is a byte shorter, one less.
        #expect(byteCounts.count >= 4)
        #expect(try verify(short.object, device).get().signCount == short.signCount)
    }

    @Test func `hand out what the device signs`() throws {
        var phone = MintedWorld.device(.iOS27)
        let onPhone = try verify(
            phone.assert(clientDataHash: MintedWorld.clientDataHash).object, phone
        ).get()
        #expect(onPhone.extensions.validationCategory == 4)
        #expect(onPhone.extensions.bundleVersion == "1314")
        var mac = MintedWorld.device(.macOS27)
        let onMac = try verify(
            mac.assert(clientDataHash: MintedWorld.clientDataHash).object, mac
        ).get()
        #expect(onMac.extensions.validationCategory == 6)
        #expect(onMac.extensions.cdHash == mac.codeDirectoryHash)
    }

    @Test(arguments: AssertionLie.allCases)
    func `that lie are refused for what the lie is about`(_ lie: AssertionLie) throws {
        for shape in DeviceShape.allCases {
            var device = MintedWorld.device(shape)
            let assertion = device.assert(clientDataHash: MintedWorld.clientDataHash, lie: lie)
            #expect(try rejectionCode(assertion.object, device) == lie.rejection, "\(shape)")
        }
    }

    @Test func `over other client data are refused`() throws {
        var device = MintedWorld.device(.iOS27)
        let assertion = device.assert(clientDataHash: ClientDataHash(hashing: []))
        #expect(try rejectionCode(assertion.object, device) == .signatureInvalid)
    }

    @Test(arguments: [DeviceShape.iOS14, .iOS27, .macOS27])
    func `cut anywhere are refused`(_ shape: DeviceShape) throws {
        var device = MintedWorld.device(shape)
        let object = device.assert(clientDataHash: MintedWorld.clientDataHash).object
        for count in 0..<object.count {
            let code = try rejectionCode(Array(object.prefix(count)), device)
            #expect(code == .malformedCBOR, "\(count) bytes")
        }
    }

    @Test(arguments: [DeviceShape.iOS14, .iOS27, .macOS27])
    func `with any byte changed are refused`(_ shape: DeviceShape) throws {
        var device = MintedWorld.device(shape)
        let object = device.assert(clientDataHash: MintedWorld.clientDataHash).object
        for place in object.indices {
            for change: UInt8 in [0x01, 0x20, 0x80, 0xFF] {
                var changed = object
                changed[place] ^= change
                #expect(
                    try rejectionCode(changed, device) != nil, "byte \(place), change \(change)")
            }
        }
    }
}
