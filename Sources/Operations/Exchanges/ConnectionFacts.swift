internal import CMicrohttpd
internal import Glibc

// What a connection tells of its request and its peer, and how an answer is handed over.

/// Hands an answer over; the library copies the bytes.
func send(_ answer: HTTPAnswer, on connection: OpaquePointer) -> MHD_Result {
    var body = answer.body
    let response = MHD_create_response_from_buffer(
        body.count, &body, .RESPMEM_MUST_COPY)
    guard let response else { return .NO }
    defer { MHD_destroy_response(response) }
    for (name, value) in answer.headers {
        guard MHD_add_response_header(response, name, value) == .YES else { return .NO }
    }
    return MHD_queue_response(connection, answer.status, response)
}

/// Headers while they are gathered; lives for one call.
private final class HeaderCollector {
    let names: Set<String>
    var values: [String: String] = [:]

    init(names: Set<String>) {
        self.names = names
    }
}

/// The wanted headers of a request.
///
/// Bytes that are no UTF-8 are replaced: no value of ours has any.
func headers(of connection: OpaquePointer, _ names: Set<String>) -> [String: String] {
    let collector = HeaderCollector(names: names)
    // The library knows the number of headers by the memory that it keeps them in.
    MHD_get_connection_values(
        connection, .HEADER_KIND, collectHeader, Unmanaged.passUnretained(collector).toOpaque())
    return collector.values
}

private func collectHeader(
    _ closure: UnsafeMutableRawPointer?, _: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
    _ value: UnsafePointer<CChar>?
) -> MHD_Result {
    guard let closure, let name, let value else { return .YES }
    let collector = Unmanaged<HeaderCollector>.fromOpaque(closure).takeUnretainedValue()
    let key = String(cString: name).lowercased()
    guard collector.names.contains(key) else { return .YES }
    let text = String(cString: value)
    collector.values[key] = collector.values[key].map { "\($0), \(text)" } ?? text
    return .YES
}

/// The address of whoever is connected; empty where it is neither IPv4 nor IPv6.
func peer(of connection: OpaquePointer) -> String {
    guard let address = attest_client_address(connection) else { return "" }
    var length: socklen_t
    switch Int32(address.pointee.sa_family) {
    case AF_INET: length = socklen_t(MemoryLayout<sockaddr_in>.size)
    case AF_INET6: length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    default: return ""
    }
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let code = getnameinfo(
        address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
    guard code == 0 else { return "" }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
