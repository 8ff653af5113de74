import LibCrypto
import SampleKeys
import Testing

/// RS256 with the key of RFC 7515, A.2.
@Suite struct RSASigningKeyTests {
    private func key() throws -> RSASigningKey {
        try #require(RSASigningKey(pem: RFC7515.pem(RFC7515.rsaKey)))
    }

    @Test func `the key of the RFC signs its example as the RFC does`() throws {
        let key = try key()
        #expect(key.modulus == RFC7515.rsaModulus)
        #expect(key.exponent == [1, 0, 1])
        #expect(key.jwsSignature(over: RFC7515.rsaMessage) == RFC7515.rsaSignature)
        #expect(key.isValidJWSSignature(RFC7515.rsaSignature, over: RFC7515.rsaMessage))
    }

    @Test func `no other signature and no other message is taken`() throws {
        let key = try key()
        for place in 0..<RFC7515.rsaSignature.count {
            var altered = RFC7515.rsaSignature
            altered[place] ^= 1
            #expect(!key.isValidJWSSignature(altered, over: RFC7515.rsaMessage))
        }
        let signature = RFC7515.rsaSignature
        #expect(!key.isValidJWSSignature(signature, over: RFC7515.rsaMessage + [0]))
        for broken in [
            [], Array(signature.dropLast()), signature + [0], [0] + signature,
            [UInt8](repeating: 0, count: 256), [UInt8](repeating: 0xFF, count: 256),
        ] {
            #expect(!key.isValidJWSSignature(broken, over: RFC7515.rsaMessage))
        }
    }

    @Test func `what is no key for RSA of this size is none`() {
        #expect(RSASigningKey(pem: []) == nil)
        #expect(RSASigningKey(pem: RFC7515.pem(Array(RFC7515.rsaKey.dropLast()))) == nil)
        #expect(RSASigningKey(pem: RFC7515.pem(RFC7515.rsaKey, label: "PUBLIC KEY")) == nil)
        #expect(RSASigningKey(pem: RFC7515.pem(Self.small)) == nil)
        #expect(RSASigningKey(pem: RFC7515.pem(Self.onlyForPSS)) == nil)
        let long = [UInt8](repeating: 0x0A, count: PrivateKeyFile.byteCountMax)
        #expect(RSASigningKey(pem: long + RFC7515.pem(RFC7515.rsaKey)) == nil)
        // Each kind is for one kind of signature.
        #expect(P256SigningKey(pem: RFC7515.pem(RFC7515.rsaKey)) == nil)
        #expect(RSASigningKey(pem: RFC7515.pem(Self.ofP256)) == nil)
    }

    /// 1024 bits.
    private static let small = [
        "MIICdQIBADANBgkqhkiG9w0BAQEFAASCAl8wggJbAgEAAoGBAMQvzqJh+RvShnfE",
        "1jzr8Pfi2VWn4rggj4cXwku28Szyj9yUi796wGHnk2YHX/jQGq8z+ByeoX58s/G2",
        "6yEgW9NTF0TMcnK6iN9wXQ8+PyZqy5t3uUWIearKwmJtAlw6mMeNh+4R7j393PuQ",
        "VAOO6oCwdVExT0awTS5j9jURWBBzAgMBAAECgYAgA0UOjjod5h53ELF8w2tQp72b",
        "EogWT4ncG25i+HkmQnZjIgIjvp4B283bijyI1zxjdnF4ChKEF0ktmhGIGEWjTrew",
        "4v1m/ESqmhgWSKQvPylX923nMJsiOhtw07MQFOg4ZwNPSN0Hb8r3CtpLGYzJtu8b",
        "6hQZRXbzkr7JozAYEQJBAPPR5gZL1js73VC43t4/2UQYn2mU3tI3rGA7ojb6QtGR",
        "bJNfIhK3f7et4wLsEpDooeB1hmYzeUf2qxggEDHZsQUCQQDN/L/y3H9xkX/5j/nH",
        "BJ5RoYe+JG8sjg0JcGrqDZAAyuch54hwGd21un6hlAma2ye8fk/EpRUK4Edosqhk",
        "gNUXAkBxBDhlbr2s00Dw6+CSkHH7OJab8B+gvaGvMbUtWq+iSJBVd2Fp35jZ4UY6",
        "0oaAmPSAALn9oZp0GwiPtD0NfmSpAkAfo1yQHtHsTZ7MZBLHQKxYeWjyCYKR41eZ",
        "RY0GWgLuPDv39yn7nd1x1i0xAB3hjRuzVetGltx+iSguqpI2rZsNAkBgQPqsLBCm",
        "JI+JkqPGqQBf4XtORUBGsy4gfKbFRetyxbRT98R9vObtuQjsWO5Bz0C4R9Ltycls",
        "z/WGANg1JNsv",
    ]
    /// 2048 bits, for RSASSA-PSS alone.
    private static let onlyForPSS = [
        "MIIEuwIBADALBgkqhkiG9w0BAQoEggSnMIIEowIBAAKCAQEAsEcG9LpMLfLRpgty",
        "mFabkD8qPK4DkLZnSBC12DL76tKuBMu1EOHF6S4qRxhXKMsGr35B2quv8bWjqoUo",
        "hXtXnsKfl3XFBRy6LO1XBlGQNovE/V+YQGQNLCGpemEh0lanFyUvGzVW06/OrJep",
        "E3nCGih5whnfzGupMzKbPeTSDS4+leEfN6mrDlWP0zHkp0P5VLtSMhhmCXzZGvKQ",
        "Haci8dLovcWohl6oLbjv8Ksn3IlkshiaY8+Tifc0p+FwWINf1IN+hi06rDHlmDQw",
        "rV6i7yBdE0fGrfqNxvJwqfeyMn0xZt77aTj1Rqz1u28w8UjGDUK2VREmrDJ8vFft",
        "4NTluwIDAQABAoIBACnNdi9T/JvK4P+s6EyLAVIYQJZqN8s6Dk0PNWhjUs1Rj9Xw",
        "TuyFde8BtSHt+kFgwCGe4dQO8ebyibD26fCZmuI5yinbUlEPinD8Ca6kafwdciYZ",
        "5NukPmFwTCYK4b/lL7Oz7DNaF1CU+QCB6KUHM0oLvjAS/bkW8OWEwz7OxCc+oa5O",
        "6rma4XEAnoiNFjqeoH+YCsHEYHy3HRDd+avlwgrOjZkNYApnmrZ0EQ1ystu0MrNA",
        "P89epK5NkATSu+iiS3pB+ySK3Y1CMMUgUd1mJk7G42goBdkedSHGNXg1MdHxZJes",
        "Rr9LYxLzE5nxwLoV4gi5j4anVxeeadYoK5PwLdUCgYEA+QiCDvTQurBDcDG8YtFJ",
        "i/EiWfWzM33T7beCbLQvqwZ3WdHIg5KDtz74ouOA36f5Hr2GswEskIlsjpJH5UiZ",
        "gWdMtPoCNdMu42orYQ8KYCMLUbcstYv7K2YmEpmSlm/6XyqXSOCb6VCXBIrEzm+o",
        "4k34v1xfbJErQBMTJHTlDQUCgYEAtTV3fbFS1Mdb5rNYfLF0Md86SF4DM3/ZBXr+",
        "C1DEnbzyNof81HDgItmjPoXaACZpxX/Eg119ckm7JTWI7Wb/b+gcy8uq5eDU/DYz",
        "+/2R9jQXcj5K4pjUepA/pJUIgq7ZIDaEW2EFTv8zU9DmTIkLHMFQPIeALNFENXpu",
        "LVjuo78CgYEA5qJZiS50DSHnIwX82WvIeGFXFgd18k8rMfINSU1LBFJVwIqH8EqF",
        "z/Ty4jBej0QKdMzD7g49TpLnRdb13MPy3qRjpwwPdffiad1O1XHPgx+RgRlqv6wn",
        "bpcI1ZsC5m5Ia1CPkX/rBRaM9jjqceF5gDUEFX2gJnT/oDTKOq5D310CgYBFVmkb",
        "kl+EhagXtaZ1SB2S+7y8diS5bwEmxLIyuDwTs3nm/c/zpiFNlIOPZ/5LsmckqEgU",
        "kBBxS98tVLfJR3EUa/egz5TcE1TMER2BHbzdPX9/OnDDFgGvyERiAJjaEHeKiPHK",
        "WWyDlskYGEYXIRU8cof2MU8NVyHHaMqB1Zay1wKBgC4Eu+x3GWgoEVPkU4Uogt5u",
        "cnO000i4hXW9DKpFn/9zy0wjx8klY7pw7Hjcz6MiDzRtyX+A2A/3zcSaThYTd3K5",
        "pdnQDat50e+gkvcoGWtVm8WVAUcUU+7i5Hnlrlq/Ly5ZZsprw6z05ykNeAXghq5x",
        "TxcB5HGH1HT/xmcrlylH",
    ]
    private static let ofP256 = [
        "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg+RiysL7PRADeoNcz",
        "U4u+4DTxhxxbLOi/H83gYARgqp2hRANCAARcd7gZezHnyXmPI3xB8X9PU/AF1uDU",
        "+Le5mM6yjy5U3NhItpAEQnEIs96RYyZpJIP51CLlMcFX7R2YECTp25J0",
    ]
}

/// ES256 as tokens have it: two numbers, no DER.
@Suite struct P256JWSSignatureTests {
    @Test func `the example of the RFC is taken, and nothing else`() throws {
        let key = try #require(P256PublicKey(x963: RFC7515.p256Point))
        let signature = RFC7515.p256Signature
        #expect(key.isValidJWSSignature(signature, over: RFC7515.p256Message))
        #expect(!key.isValidJWSSignature(signature, over: RFC7515.p256Message + [0]))
        for place in 0..<signature.count {
            var altered = signature
            altered[place] ^= 1
            #expect(!key.isValidJWSSignature(altered, over: RFC7515.p256Message))
        }
        for broken in [
            [], Array(signature.dropLast()), signature + [0], [UInt8](repeating: 0, count: 64),
            [UInt8](repeating: 0xFF, count: 64),
        ] {
            #expect(!key.isValidJWSSignature(broken, over: RFC7515.p256Message))
        }
    }
}
