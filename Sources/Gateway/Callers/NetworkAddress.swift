internal import Glibc

/// Addresses, as far as rates are counted by them.
enum NetworkAddress {
    /// What rates are counted by.
    ///
    /// - Parameter text: an address; brackets, a port behind them and a zone are left out.
    /// - Returns: the 4 bytes of an IPv4 address, or the first 8 of an IPv6 one, as whoever has one
    ///   of a /64 has them all; none for text that is no address, which counts as one caller.
    static func network(of text: String) -> [UInt8] {
        var host = text[...]
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
            host = host[host.index(after: host.startIndex)..<end]
        } else if host.count(where: { $0 == ":" }) == 1, let colon = host.firstIndex(of: ":") {
            host = host[..<colon]
        }
        if let zone = host.firstIndex(of: "%") { host = host[..<zone] }
        var four = [UInt8](repeating: 0, count: 4)
        if inet_pton(AF_INET, String(host), &four) == 1 { return four }
        var six = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, String(host), &six) == 1 else { return [] }
        let isMapped = six[..<10].allSatisfy { $0 == 0 } && six[10...11].allSatisfy { $0 == 0xFF }
        return isMapped ? Array(six[12...]) : Array(six[..<8])
    }
}
