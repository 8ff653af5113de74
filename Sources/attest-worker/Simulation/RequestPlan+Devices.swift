import AppAttest
import AttestTestKit
import Wire

// The requests of registered devices. What is refused leaves the sign count where it is.

extension RequestPlan {
    /// A device registers: its shape is the next one of those there are.
    mutating func register() -> PlannedRequest {
        let number = devices.count
        let device = SimulatedDevice(
            seed: deviceSeed(UInt64(number)), appID: settings.appID, shape: shape(UInt64(number)),
            authority: settings.authority)
        let subject = "user-\(number + 1)"
        let content = content.registration()
        let minted = device.attest(clientDataHash: content.clientDataHash, at: now)
        let request = message(.registration, subject: subject)
            .request(minted, content, reattested: false)
        chooser.add()
        devices.append(PlannedDevice(simulated: device, subject: subject, lastHonest: request))
        signCounts[device.keyID] = 0
        return request
    }

    /// A registered device attests its key again, as an app does that never saw the first answer.
    mutating func attestAgain() -> PlannedRequest {
        let device = someDevice()
        let content = content.registration()
        let minted = device.simulated.attest(clientDataHash: content.clientDataHash, at: now)
        return message(.reattestation, subject: device.subject)
            .request(minted, content, reattested: true)
    }

    /// A registered device asserts, and counts it.
    mutating func assertHonestly() -> PlannedRequest {
        let index = someIndex()
        let content = content.assertion()
        let minted = devices[index].simulated.assert(clientDataHash: content.clientDataHash)
        let request = message(.assertion, subject: devices[index].subject)
            .request(minted, content)
        devices[index].lastHonest = request
        devices[index].lastAssertion = PlannedDevice.Assertion(minted: minted, content: content)
        signCounts[minted.keyID] = minted.signCount
        return request
    }

    /// The last honest request of a device once more, byte for byte.
    mutating func repeatLast() -> PlannedRequest {
        var request = someDevice().lastHonest
        request.kind = .repeated
        return request
    }

    /// The last assertion of a device once more, as a new request.
    mutating func replay() -> PlannedRequest {
        let (device, last) = someAsserter()
        var message = message(.replay, subject: device.subject)
        message.refusal = settings.replayReason
        return message.request(last.minted, last.content)
    }

    /// A new assertion under the id of the last one.
    mutating func reuseRequestID() -> PlannedRequest {
        let (device, _) = someAsserter()
        let content = content.assertion()
        return PlannedMessage(
            kind: .reusedRequestID, id: device.lastHonest.id, number: requestCount,
            appID: settings.appID, subject: device.subject
        ).request(nextAssertion(of: device, content), content)
    }

    /// A genuine assertion that goes with another payload than was signed.
    mutating func claimOtherPayload() -> PlannedRequest {
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
        _ kind: PlannedKind, _ lie: AssertionLie?, subject: String? = nil, age: Duration = .zero
    ) -> PlannedRequest {
        let device = someDevice()
        let content = content.assertion()
        var message = message(kind, subject: subject ?? device.subject)
        message.age = age
        return message.request(nextAssertion(of: device, content, lie), content)
    }

    /// The assertion that the device would make next, without counting it.
    private func nextAssertion(
        of device: PlannedDevice, _ content: AssertionContent, _ lie: AssertionLie? = nil
    ) -> MintedAssertion {
        device.simulated.assert(
            clientDataHash: content.clientDataHash, signCount: device.simulated.signCount + 1,
            lie: lie)
    }

    // MARK: - Choices

    /// One of the registered devices.
    mutating func someDevice() -> PlannedDevice {
        devices[someIndex()]
    }

    /// One of the devices that have made an assertion, and the last one.
    private mutating func someAsserter() -> (PlannedDevice, PlannedDevice.Assertion) {
        let device = someDevice()
        if let last = device.lastAssertion { return (device, last) }
        let asserters = devices.filter { $0.lastAssertion != nil }
        guard let device = asserters.randomElement(using: &random),
            let last = device.lastAssertion
        else {
            preconditionFailure("a plan begins with a registration and an assertion")
        }
        return (device, last)
    }

    /// One of the ways to forge a signature.
    mutating func someSignatureLie() -> SignatureLie {
        SignatureLie.allCases.randomElement(using: &random) ?? .otherKey
    }

    private mutating func someIndex() -> Int {
        guard let index = chooser.choose(&random) else {
            preconditionFailure("a plan begins with a registration")
        }
        return index
    }

    // MARK: - Common

    /// The message of a new request.
    func message(_ kind: PlannedKind, subject: String?) -> PlannedMessage {
        PlannedMessage(
            kind: kind, id: newID(), number: requestCount, appID: settings.appID,
            subject: subject)
    }

    /// Number by number the next one of the shapes there are.
    func shape(_ number: UInt64) -> DeviceShape {
        let shapes = settings.shapes
        return shapes.isEmpty ? .iOS27 : shapes[Int(number % UInt64(shapes.count))]
    }

    /// One number, one key; strangers' numbers count from the other end.
    func deviceSeed(_ number: UInt64) -> UInt64 {
        settings.seed &* 0x9E37_79B9_7F4A_7C15 &+ number
    }
}
