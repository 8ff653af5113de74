import AppAttest
import AttestTestKit
import Wire

// The requests of registered devices. What is refused leaves the sign count where it is.

extension DemoPlan {
    /// A device registers: its shape is the next one of those there are.
    mutating func register() -> DemoRequest {
        let number = devices.count
        let shapes = DeviceShape.allCases
        let device = SimulatedDevice(
            seed: deviceSeed(UInt64(number)), appID: Self.appID,
            shape: shapes[number % shapes.count], authority: authority)
        let subject = "user-\(number + 1)"
        let content = content.registration()
        let minted = device.attest(clientDataHash: content.clientDataHash, at: now)
        let request = message(.registration, subject: subject)
            .request(minted, content, reattested: false)
        devices.append(DemoDevice(simulated: device, subject: subject, lastHonest: request))
        signCounts[device.keyID] = 0
        return request
    }

    /// A registered device attests its key again, as an app does that never saw the first answer.
    mutating func attestAgain() -> DemoRequest {
        let device = someDevice()
        let content = content.registration()
        let minted = device.simulated.attest(clientDataHash: content.clientDataHash, at: now)
        return message(.reattestation, subject: device.subject)
            .request(minted, content, reattested: true)
    }

    /// A registered device asserts, and counts it.
    mutating func assertHonestly() -> DemoRequest {
        let index = someIndex(devices.indices)
        let content = content.assertion()
        let minted = devices[index].simulated.assert(clientDataHash: content.clientDataHash)
        let request = message(.assertion, subject: devices[index].subject)
            .request(minted, content)
        devices[index].lastHonest = request
        devices[index].lastAssertion = DemoDevice.Assertion(minted: minted, content: content)
        signCounts[minted.keyID] = minted.signCount
        return request
    }

    /// The last honest request of a device once more, byte for byte.
    mutating func repeatLast() -> DemoRequest {
        var request = someDevice().lastHonest
        request.kind = .repeated
        return request
    }

    /// The last assertion of a device once more, as a new request.
    mutating func replay() -> DemoRequest {
        let (device, last) = someAsserter()
        return message(.replay, subject: device.subject).request(last.minted, last.content)
    }

    /// A new assertion under the id of the last one.
    mutating func reuseRequestID() -> DemoRequest {
        let (device, _) = someAsserter()
        let content = content.assertion()
        return DemoMessage(
            kind: .reusedRequestID, id: device.lastHonest.id, number: requestCount,
            subject: device.subject
        ).request(nextAssertion(of: device, content), content)
    }

    /// A genuine assertion that goes with another payload than was signed.
    mutating func claimOtherPayload() -> DemoRequest {
        let device = someDevice()
        let signed = content.assertion()
        return message(.wrongPayload, subject: device.subject)
            .request(nextAssertion(of: device, signed), content.assertion())
    }

    /// An assertion of a registered device that is refused.
    ///
    /// - Parameters:
    ///   - kind: what it is.
    ///   - lie: what is wrong with the object; nil for nothing.
    ///   - subject: the owner it names, if it is not the device's.
    ///   - age: how far behind the moment of sending its timestamp lies.
    /// - Returns: the request.
    mutating func lie(
        _ kind: DemoKind, _ lie: AssertionLie?, subject: String? = nil, age: Duration = .zero
    ) -> DemoRequest {
        let device = someDevice()
        let content = content.assertion()
        var message = message(kind, subject: subject ?? device.subject)
        message.age = age
        return message.request(nextAssertion(of: device, content, lie), content)
    }

    /// The assertion that the device would make next, without counting it.
    private func nextAssertion(
        of device: DemoDevice, _ content: AssertionContent, _ lie: AssertionLie? = nil
    ) -> MintedAssertion {
        device.simulated.assert(
            clientDataHash: content.clientDataHash, signCount: device.simulated.signCount + 1,
            lie: lie)
    }

    // MARK: - Choices

    /// One of the registered devices.
    mutating func someDevice() -> DemoDevice {
        devices[someIndex(devices.indices)]
    }

    /// One of the devices that have made an assertion, and the last one.
    private mutating func someAsserter() -> (DemoDevice, DemoDevice.Assertion) {
        let index = someIndex(devices.indices.filter { devices[$0].lastAssertion != nil })
        guard let last = devices[index].lastAssertion else {
            preconditionFailure("only devices with an assertion were chosen from")
        }
        return (devices[index], last)
    }

    /// One of the ways to forge a signature.
    mutating func someSignatureLie() -> SignatureLie {
        SignatureLie.allCases.randomElement(using: &random) ?? .otherKey
    }

    private mutating func someIndex(_ indices: some Collection<Int>) -> Int {
        guard let index = indices.randomElement(using: &random) else {
            preconditionFailure("the plan begins with a registration and an assertion")
        }
        return index
    }

    // MARK: - Common

    /// The message of a new request.
    func message(_ kind: DemoKind, subject: String?) -> DemoMessage {
        DemoMessage(kind: kind, id: newID(), number: requestCount, subject: subject)
    }

    /// One number, one key; strangers' numbers count from the other end.
    func deviceSeed(_ number: UInt64) -> UInt64 {
        seed &* 0x9E37_79B9_7F4A_7C15 &+ number
    }
}
