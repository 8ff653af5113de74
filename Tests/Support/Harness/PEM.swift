internal import FoundationEssentials

/// A certificate as PEM text.
package func certificatePEM(_ der: [UInt8]) -> String {
    let text = Data(der).base64EncodedString(options: [
        .lineLength64Characters, .endLineWithLineFeed,
    ])
    return "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
}
