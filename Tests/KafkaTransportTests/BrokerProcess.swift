import Glibc
import Synchronization

/// A mock broker in a process of its own, reached over TCP; ends with this value.
final class BrokerProcess: Sendable {
    let bootstrapServers: String
    private let process: pid_t
    private let input: Int32
    private let output: Int32
    /// One command at a time, each with its answer.
    private let conversation = Mutex(())

    struct Failure: Error {
        let text: String
    }

    init(_ arguments: [String]) throws {
        let program = try BrokerProcess.productsFolder() + "/MockBroker"
        let input = try BrokerProcess.pipe()
        let output = try BrokerProcess.pipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.read, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output.write, STDOUT_FILENO)
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process = pid_t()
        guard posix_spawn(&process, program, &actions, nil, &words, environ) == 0 else {
            throw Failure(text: "can't run \(program)")
        }
        close(input.read)
        close(output.write)
        self.process = process
        self.input = input.write
        self.output = output.read
        bootstrapServers = try BrokerProcess.line(from: output.read)
    }

    deinit {
        // The broker ends with its standard input.
        close(input)
        close(output)
        var status: Int32 = 0
        waitpid(process, &status, 0)
    }

    /// Gives a command, and waits until it is obeyed.
    func command(_ text: String) throws {
        let bytes = Array("\(text)\n".utf8)
        let answer = try conversation.withLock { _ in
            guard write(input, bytes, bytes.count) == bytes.count else {
                throw Failure(text: "the broker is gone")
            }
            return try BrokerProcess.line(from: output)
        }
        guard answer == "ok" else { throw Failure(text: answer) }
    }

    /// A pipe that other children don't inherit, or they would keep the broker's input open.
    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0, let read = ends.first, let write = ends.last else {
            throw Failure(text: "no pipe")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (read, write)
    }

    private static func line(from file: Int32) throws -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(file, &byte, 1) == 1 {
            guard byte != UInt8(ascii: "\n") else {
                return String(decoding: bytes, as: UTF8.self)
            }
            bytes.append(byte)
        }
        throw Failure(text: "the broker ended: \(String(decoding: bytes, as: UTF8.self))")
    }

    /// Where the test program lies, there lie the others.
    private static func productsFolder() throws -> String {
        var path = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        guard count > 0 else { throw Failure(text: "can't tell where the tests lie") }
        let name = String(decoding: path.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return String(name[..<(name.lastIndex(of: "/") ?? name.startIndex)])
    }
}
