import AppAttest
import LibCrypto
import RecordedVectors
import SeededNumbers
import Testing

/// Genuine receipts of both types, cut and changed.
@Suite struct ChangedReceiptTests {
    static let names = [
        "receipt-veehaitch-ios-14.4-1-attest", "receipt-veehaitch-ios-14.4-2-receipt",
    ]

    // The signature covers the content and the chain covers the certificates; what is left
    // (versions and unused identifiers of the CMS) may change, and then says the same.
    @Test(arguments: names, [0x01, 0x80] as [UInt8])
    func `every change of one byte is refused or says the same`(
        name: String, change: UInt8
    ) throws {
        var inputs = try ReceiptInputs(RecordedVectors.named(name))
        var intermediates = VerifiedIntermediates()
        let genuine = try inputs.verify(&intermediates).get()
        var accepted = 0
        for position in inputs.receipt.indices {
            inputs.receipt[position] ^= change
            if case .success(let proof) = inputs.verify(&intermediates) {
                #expect(proof == genuine, "byte \(position) changed by \(change)")
                accepted += 1
            }
            inputs.receipt[position] ^= change
        }
        // Otherwise something would not be covered that should be.
        #expect(accepted < inputs.receipt.count / 3)
        #expect(intermediates.count == 1)
    }

    @Test(arguments: names)
    func `every cut is refused`(name: String) throws {
        var inputs = try ReceiptInputs(RecordedVectors.named(name))
        var intermediates = VerifiedIntermediates()
        let receipt = inputs.receipt
        for count in 0..<receipt.count {
            inputs.receipt = Array(receipt.prefix(count))
            #expect(inputs.verify(&intermediates).rejection != nil, "\(count) bytes")
        }
        #expect(intermediates.count == 0)
    }

    @Test(arguments: names)
    func `every change of one byte of the content is read strictly, and never traps`(
        name: String
    ) throws {
        let receipt = try ReceiptInputs(RecordedVectors.named(name)).receipt
        var content = try SignedMessage(verifyingSignatureOf: receipt).content
        let genuine = try Receipt(parsing: content)
        var readable = 0
        for position in content.indices {
            for change in [0x01, 0x20, 0xFF] as [UInt8] {
                content[position] ^= change
                if let changed = try? Receipt(parsing: content) {
                    readable += 1
                    // In a field that is not read, such as the token.
                    if changed == genuine { #expect(content != []) }
                }
                content[position] ^= change
            }
        }
        #expect(readable > 0)
        for count in 0..<content.count {
            #expect(throws: ReceiptContentFault.self) {
                try Receipt(parsing: Array(content.prefix(count)))
            }
        }
    }

    @Test func `a receipt above the limit is refused unread`() throws {
        var inputs = try ReceiptInputs(RecordedVectors.named(Self.names[0]))
        inputs.receipt = [UInt8](repeating: 0x30, count: SignedMessage.byteCountMax + 1)
        var intermediates = VerifiedIntermediates()
        #expect(
            inputs.verify(&intermediates).rejection
                == .receiptInvalid(
                    .notSignedData(.tooLarge(byteCount: SignedMessage.byteCountMax + 1))))
    }

    @Test(
        arguments: [
            (300_000, nil), (300_001, .receiptTooOld), (-60_000, nil),
            (-60_001, .receiptFromTheFuture), (.min, .receiptFromTheFuture),
            (.max, .receiptExpired),
        ] as [(Int64, RejectionCode?)])
    func `the age is bounded on both sides, to the millisecond`(
        age: Int64, code: RejectionCode?
    ) throws {
        var inputs = try ReceiptInputs(RecordedVectors.named(Self.names[1]))
        var intermediates = VerifiedIntermediates()
        let created = try inputs.verify(&intermediates).get().creationTime.milliseconds
        inputs.instant = Instant(
            milliseconds: age == .min || age == .max ? age : created + age)
        #expect(inputs.verify(&intermediates).rejection?.code == code)
    }

    @Test func `an app of another spelling and the attestations' root are refused`() throws {
        var inputs = try ReceiptInputs(RecordedVectors.named(Self.names[0]))
        var intermediates = VerifiedIntermediates()
        inputs.verifier = ReceiptVerifier(trustAnchor: .appleAppAttestRoot)
        #expect(inputs.verify(&intermediates).rejection?.code == .receiptChain)
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00.0Z", 0), ("2020-11-21T22:16:05.466Z", 1_605_996_965_466),
            ("2020-11-21T22:16:05.46Z", 1_605_996_965_460),
            ("2020-11-21T22:16:05.4Z", 1_605_996_965_400),
            ("2020-11-21T22:16:05Z", 1_605_996_965_000),
            ("2000-02-29T23:59:59.999Z", 951_868_799_999),
            ("1969-12-31T23:59:59.999Z", -1), ("0000-01-01T00:00:00.0Z", -62_167_219_200_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ] as [(String, Int64)])
    func `a time is read to the millisecond`(text: String, milliseconds: Int64) {
        #expect(
            Instant(receiptText: Array(text.utf8)[...]) == Instant(milliseconds: milliseconds))
    }

    @Test(arguments: [
        "", "2020-11-21", "2020-11-21T22:16:05.Z", "2020-11-21T22:16:05.4666Z",
        "2020-11-21T22:16:05.466", "2020-11-21T22:16:05.466z", "2020-11-21t22:16:05.466Z",
        "2020-11-21 22:16:05.466Z", "2020-11-21T22:16:05,466Z", "2020-11-21T22:16:05.466Z ",
        "2020-11-21T22:16:05.466+00:00", "2020-13-01T00:00:00.0Z", "2020-00-01T00:00:00.0Z",
        "2021-02-29T00:00:00.0Z", "1900-02-29T00:00:00.0Z", "2020-04-31T00:00:00.0Z",
        "2020-11-00T00:00:00.0Z", "2020-11-21T24:00:00.0Z", "2020-11-21T22:60:00.0Z",
        "2020-11-21T22:16:60.0Z", "-020-11-21T22:16:05.4Z", "+2020-11-21T22:16:05.4Z",
    ])
    func `other spellings of a time are refused`(text: String) {
        #expect(Instant(receiptText: Array(text.utf8)[...]) == nil)
    }

    @Test(
        arguments: [
            ([0x02, 0x01, 0x00], 0), ([0x02, 0x01, 0x7F], 127), ([0x02, 0x02, 0x00, 0x80], 128),
            ([0x02, 0x04, 0x7F, 0xFF, 0xFF, 0xFF], 0x7FFF_FFFF), ([0x02, 0x00], nil),
            ([0x02, 0x01, 0x80], nil), ([0x02, 0x02, 0x00, 0x7F], nil),
            ([0x02, 0x05, 0x00, 0x80, 0x00, 0x00, 0x00], nil), ([0x02, 0x81, 0x01, 0x05], nil),
            ([0x04, 0x01, 0x05], nil), ([0x02, 0x02, 0x05], nil), ([0x02, 0x80, 0x05, 0, 0], nil),
        ] as [([UInt8], UInt32?)])
    func `an integer has one spelling`(bytes: [UInt8], value: UInt32?) {
        var reader = DERReader(bytes[...])
        #expect(reader.integer() == value)
    }
}
