import Worker

/// A command whose second word tells what it does.
struct Subcommands: Sendable {
    /// What is done for a second word, with what stands behind it.
    typealias Body = @Sendable ([String], Console) -> ExitCode

    /// The first word.
    let name: String
    /// The second words.
    let all: [(name: String, execute: Body)]

    /// Finds the second word, and does it.
    func execute(_ arguments: [String], _ console: Console) -> ExitCode {
        if let word = arguments.first, let found = all.first(where: { $0.name == word }) {
            return found.execute(Array(arguments.dropFirst()), console)
        }
        let words = all.map(\.name).joined(separator: ", ")
        let said = arguments.first.map { ", not \"\($0)\"" } ?? ""
        console.complain(
            "attest-worker \(name): say what to do: \(words)\(said)\n"
                + "`attest-worker \(name) --help` tells more.\n")
        return .usage
    }
}
