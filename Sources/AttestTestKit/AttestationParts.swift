/// The parts of an attestation object before it is encoded; nil leaves a part out.
struct AttestationParts {
    var format: CBOR? = .text("apple-appattest")
    var certificates: [CBOR]?
    var receipt: CBOR
    var authenticatorData: CBOR?
    /// What some systems put beside the genuine parts.
    var further: [(key: CBOR, value: CBOR)]
    /// What stands beside the genuine parts of the statement.
    var furtherInStatement: [(key: CBOR, value: CBOR)] = []

    var isArray = false
    var hasStatement = true
    var isStatementArray = false
    var isSingleCertificate = false

    /// The genuine parts.
    init(
        certificates: CertificatePair, receipt: [UInt8], authenticatorData: [UInt8],
        further: [(key: CBOR, value: CBOR)]
    ) {
        self.certificates = [
            .bytes(certificates.credential), .bytes(certificates.intermediate),
        ]
        self.receipt = .bytes(receipt)
        self.authenticatorData = .bytes(authenticatorData)
        self.further = further
    }

    /// The object's map.
    var entries: [(key: CBOR, value: CBOR)] {
        var entries = further
        if let format { entries.append((.text("fmt"), format)) }
        if hasStatement { entries.append((.text("attStmt"), statement)) }
        if let authenticatorData { entries.append((.text("authData"), authenticatorData)) }
        return entries
    }

    /// The object.
    var encoded: [UInt8] {
        isArray ? CBOR.array(entries.map(\.value)).encoded : CBOR.map(entries).encoded
    }

    private var statement: CBOR {
        var entries = furtherInStatement
        if let certificates {
            let single = isSingleCertificate ? certificates.first : nil
            entries.append((.text("x5c"), single ?? .array(certificates)))
        }
        entries.append((.text("receipt"), receipt))
        return isStatementArray ? .array(entries.map(\.value)) : .map(entries)
    }
}
