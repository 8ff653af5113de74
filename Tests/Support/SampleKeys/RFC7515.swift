internal import Foundation

/// The examples of RFC 7515 that these tests rest on: keys, and what they signed.
package enum RFC7515 {
    /// What all of its examples say.
    private static let claims =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
        + "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    /// A.2: the signed bytes of the example with RS256.
    package static let rsaMessage = Array(("eyJhbGciOiJSUzI1NiJ9." + claims).utf8)
    /// A.2: the signature, which for a key and a message is one only.
    package static let rsaSignature = bytes(
        "cC4hiUPoj9Eetdgtv3hF80EGrhuB//dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh+0Q"
            + "c/lF5YKt/O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB++f/nZLgrnbyTy"
            + "WzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB/eSN9383LcOLn6/dO++xi12jzDwu"
            + "sC+eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5A"
            + "XLIhWkWywlVmtVrBp0igcN/IoypGlUPQGe77Rw==")
    /// A.2: the modulus.
    package static let rsaModulus = bytes(
        "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd/wWJcyQoTbji9k0l8W26mPddxHmfHQp+Vaw+4qPCJrc"
            + "S2mJPMEzP1Pt0Bm4d4QlL+yRT+SFd2lZS+pCgNMsD1W/YpRPEwOWvG6b32690r2jZ47soMZo9wGz"
            + "jb/7OMg0LOL+bSf63kpaSHSXndS5z5rexMdbBYUsLA9e+KXBdQOS+UTo7WTBEMa2R2CapHg665xs"
            + "mtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6/I5IhlJH7aGhyxXFvUK+DWNmoudF8NAco9/h9iaGNj8"
            + "q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ==")
    /// A.2: the private key, PKCS#8 in base64.
    package static let rsaKey = [
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCh+BYK4uPJtGXO",
        "jS1lYmM2K5J9vinh8CR3/BYlzJChNuOL2TSXxbbqY913EeZ8dCn5VrD7io8ImtxL",
        "aYk8wTM/U+3QGbh3hCUv7JFP5IV3aVlL6kKA0ywPVb9ilE8TA5a8bpvfbr3SvaNn",
        "juygxmj3AbONv/s4yDQs4v5tJ/reSlpIdJed1LnPmt7Ex1sFhSwsD174pcF1A5L5",
        "ROjtZMEQxrZHYJqkeDrrnGya11UxMFBji4NmXG9veoKjlnAqH2QbgtPr8jkiGUkf",
        "toaHLFcW9Qr4NY2ai50Xw0Byj3+H2JoY2PyrZ62EWQwuz3WTOTY8BwNNb2BvniHg",
        "VFbK5emhAgMBAAECggEAEq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyW",
        "PEAeP88vLNO97IjlA7/GQ5sLKMgvfTeXZx9SE+7YwVol2NXOoAJe46sui395IW/G",
        "O+pWJ1O0BkTGoVEn2bKVRUCgu+GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzj",
        "kn439X0M/V51gfpRLI9JYanrC4D4qAdGcopV/0ZHHzQlBjudU2QvXt4ehNYTCBr6",
        "XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl/x/jTj3ccPDVZFD9pIuhLhBOneufuBiB",
        "4cS98l2SR/RQyGWSeWjnczT0QU91p1DhOVRuOopznQKBgQDgHMQQ60imZV1URk0K",
        "pLttoLhyt3SmqdEf/kgHePDdtzEafpAu+cS191R2JiuoF2yzWXnwFDcqGigp5BNr",
        "0AHQfD8/Lk8l1Mk09jxxCfui5nYooNyac8YFjm3vItzVCVDnEd3BbVWG8qf6deqE",
        "lMGAg+C2V0L4oNXnP7LZcPAZRwKBgQC5A8R+CZW2MvRTLLHzwZkUXV866cff7tx6",
        "kqa0finGG0KgeqlaZPxgCZnFp7AeAcCMtiynVlJ7vMVgePsLq6XtON4tB5kP9jAP",
        "rq3rbAOal78eUH5OcED6eNuCV8ixEu1eWcPNCS/l1OW1EnXUEoEHKl54Xrrz2uNw",
        "kgMTP1FZ1wKBgAcCn1dwJKufzBWQxWQp1vsM5fggqPN1qGb5y0MAk3g7/Ls5bkUp",
        "5u9SN0Ai3Ya6hNnvWJMb7sXQX6U/zyO2M/hTip7tUeh7CXgwo59dkpN75gJLVds2",
        "9+DAncu3KXU4f2Fa+7bLNrur53k8KwPOq2bbuTG69QtV7Jr5MR0AHWKNAoGBAIf/",
        "evpitUf+4JYbLpvNXWcY052Mpz22aR84mY3nh3F2LF2mjMJDpTg7FmuyPcVw6EcG",
        "yoAe9fa65iNqCq+jdw6PVNGo2hxfjSiZ8IIzHdsPXI89//pMjZcQK9r+CCoRjaZj",
        "OYiIDktVWZzmevJuv6WywUqd57LE3Zar3dLSIkx1AoGAIYd7DHOhrWvxkwPQsRM2",
        "tOgrjbcrfvtQJipd+DlcxyVuuM9sQLdgjVk2oy26F0EmpScGLq2MowX7fhd/QJQ3",
        "ydy5cY7YIBi87w93IKLEdfnbJtoOPLUW0ITrJReOgo1cq9SbsxYawBgfp/gh6A56",
        "03k2+ZQwVK0JKSHuLFkuQ3U=",
    ]

    /// A.3: the signed bytes of the example with ES256.
    package static let p256Message = Array(("eyJhbGciOiJFUzI1NiJ9." + claims).utf8)
    /// A.3: a signature; others are as good.
    package static let p256Signature = bytes(
        "DtEhU3ljbEg8L38VWAfUAqOyKAM6+Xx+F4GawxaepmXFCgfTjDxw5djxLa8ISlSA"
            + "pmWQxfKTUJqPP3+Kg6NU1Q==")
    /// A.3: the public key, 0x04 ‖ x ‖ y.
    package static let p256Point =
        [0x04] + bytes("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU=")
        + bytes("x/FEzRu9m36HLN/tue659LNpXW6pCyStikYjKIWI5a0=")

    /// A key's file.
    package static func pem(_ base64: [String], label: String = "PRIVATE KEY") -> [UInt8] {
        let lines = ["-----BEGIN \(label)-----"] + base64 + ["-----END \(label)-----", ""]
        return Array(lines.joined(separator: "\n").utf8)
    }

    private static func bytes(_ base64: String) -> [UInt8] {
        guard let data = Data(base64Encoded: base64) else {
            preconditionFailure("the examples are in base64")
        }
        return Array(data)
    }
}
