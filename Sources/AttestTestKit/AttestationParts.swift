/// The parts of an attestation object before it is encoded; nil leaves a part out.
struct AttestationParts {
    var format: CBOR? = .text("apple-appattest")
    var certificates: [CBOR]?
    var receipt: CBOR?
    var authenticatorData: CBOR?
    /// What some systems put beside the genuine parts.
    var further: [(key: CBOR, value: CBOR)] = []

    var isArray = false
    var hasStatement = true
    var isStatementArray = false
    var isSingleCertificate = false

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
        var entries: [(key: CBOR, value: CBOR)] = []
        if let certificates {
            let single = isSingleCertificate ? certificates.first : nil
            entries.append((.text("x5c"), single ?? .array(certificates)))
        }
        if let receipt { entries.append((.text("receipt"), receipt)) }
        return isStatementArray ? .array(entries.map(\.value)) : .map(entries)
    }
}
