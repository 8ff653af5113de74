internal import FoundationEssentials

extension ChildProcess {
    /// The most bytes of memory in RAM that it has had so far.
    ///
    /// Source: proc(5), `/proc/pid/status`, VmHWM.
    ///
    /// - Throws: ``HarnessFailure`` when it is gone.
    package var peakResidentBytes: Int {
        get throws {
            let path = "/proc/\(processID)/status"
            let status = FileManager.default.contents(atPath: path) ?? Data()
            let line = String(decoding: status, as: UTF8.self).split(separator: "\n")
                .first { $0.hasPrefix("VmHWM:") }
            let words = line?.split(whereSeparator: \.isWhitespace) ?? []
            guard words.count == 3, let kibibytes = Int(words[1]) else {
                throw HarnessFailure("\(path) does not tell VmHWM; \(self)")
            }
            return kibibytes << 10
        }
    }
}
