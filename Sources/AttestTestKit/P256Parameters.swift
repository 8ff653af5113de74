/// The curve P-256 spelled out (SEC 1, C.2), as no certificate of Apple's does.
///
/// A verifier that takes curves from certificates can be given one on which the forger knows the
/// private key of any public key.
enum P256Parameters {
    /// ECParameters in DER.
    static let encoded = DER.sequence(
        DER.integer(1),
        DER.sequence(ObjectIdentifiers.primeField, DER.integer(prime)),
        DER.sequence(DER.octetString(a), DER.octetString(b)),
        DER.octetString([0x04] + generatorX + generatorY),
        DER.integer(order),
        DER.integer(1))

    private static let prime = bytes(
        0xFFFF_FFFF_0000_0001, 0x0000_0000_0000_0000, 0x0000_0000_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF)
    private static let a = bytes(
        0xFFFF_FFFF_0000_0001, 0x0000_0000_0000_0000, 0x0000_0000_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFC)
    private static let b = bytes(
        0x5AC6_35D8_AA3A_93E7, 0xB3EB_BD55_7698_86BC, 0x651D_06B0_CC53_B0F6, 0x3BCE_3C3E_27D2_604B)
    private static let generatorX = bytes(
        0x6B17_D1F2_E12C_4247, 0xF8BC_E6E5_63A4_40F2, 0x7703_7D81_2DEB_33A0, 0xF4A1_3945_D898_C296)
    private static let generatorY = bytes(
        0x4FE3_42E2_FE1A_7F9B, 0x8EE7_EB4A_7C0F_9E16, 0x2BCE_3357_6B31_5ECE, 0xCBB6_4068_37BF_51F5)
    private static let order = bytes(
        0xFFFF_FFFF_0000_0000, 0xFFFF_FFFF_FFFF_FFFF, 0xBCE6_FAAD_A717_9E84, 0xF3B9_CAC2_FC63_2551)

    private static func bytes(_ words: UInt64...) -> [UInt8] {
        words.flatMap(\.bigEndianBytes)
    }
}
