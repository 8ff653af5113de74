import Testing

@testable import Operations

@Suite struct ListenAddressTests {
    @Test(
        arguments: [
            ("127.0.0.1:9464", "127.0.0.1", 9464), ("0.0.0.0:0", "0.0.0.0", 0),
            ("[::1]:80", "::1", 80),
        ] as [(String, String, UInt16)])
    func `an address is read and written`(text: String, host: String, port: UInt16) {
        let address = ListenAddress(text)
        #expect(address == ListenAddress(host: host, port: port))
        #expect(address?.description == text)
    }

    @Test(arguments: ["", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "::1:80", "[]:80"])
    func `whatever else is no address`(text: String) {
        #expect(ListenAddress(text) == nil)
    }
}
