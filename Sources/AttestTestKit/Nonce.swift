import AppAttest
import LibCrypto

/// SHA-256 of authenticator data and client data hash: what binds both to a key.
struct Nonce {
    let authenticatorData: [UInt8]
    let clientDataHash: [UInt8]

    /// The 32 bytes.
    var bytes: [UInt8] {
        SHA256.hash(authenticatorData, clientDataHash).bytes
    }

    /// The 32 bytes as DER.
    var octetString: [UInt8] {
        DER.octetString(bytes)
    }

    /// The nonce as if the app had handed over something else.
    var withOtherClientData: Nonce {
        var other = clientDataHash
        other.flipLastBit()
        return Nonce(authenticatorData: authenticatorData, clientDataHash: other)
    }

    /// The nonce as if the authenticator data had a bit more or less at its end.
    var withOtherAuthenticatorData: Nonce {
        var other = authenticatorData
        other.flipLastBit()
        return Nonce(authenticatorData: other, clientDataHash: clientDataHash)
    }
}
