import CSystem
import Foundation

/// The process's arguments and standard streams.
public enum Console {
    /// Writes a line to standard output unbuffered; ends the program as ``printText(_:)`` does. Text from the network may be part of it: see
    /// ``visible(_:)``, and for JSON ``visibleJSON(_:)``.
    public static func print(_ line: String) { printText(visible(line) + "\n") }

    /// Writes text to standard output unbuffered. If the reader has closed the pipe, exits silently with 128 + SIGPIPE = 141; any other
    /// failure exits with status 74 (`EX_IOERR`), since partial output must not pass for complete.
    public static func printText(_ text: String) {
        guard !write(text, to: 1) else { return }
        let code = errno
        // Exits instead of raising the signal: `exit` handlers stop child processes and remove sockets.
        if code == EPIPE { exit(128 + SIGPIPE) }
        printError("cannot write to standard output: \(String(cString: strerror(code)))")
        exit(74)
    }

    /// Writes a line to standard error unbuffered. Text from the network may be part of it: see ``visible(_:)``.
    public static func printError(_ line: String) { write(visible(line) + "\n", to: 2) }

    /// Replaces characters that a terminal obeys or hides (controls, format characters) by their code.
    /// - Parameters:
    ///   - limit: scalars; `…` marks a cut.
    ///   - kept: characters that stay.
    public static func visible(_ text: String, upTo limit: Int = .max, keeping kept: Set<Unicode.Scalar> = ["\n", "\t"]) -> String
    {
        let scalars = text.unicodeScalars.prefix(limit)
        let shown = scalars.map { kept.contains($0) || !$0.isHidden ? String($0) : "\\u{" + String($0.value, radix: 16) + "}" }
        return shown.joined() + (scalars.endIndex < text.unicodeScalars.endIndex ? "…" : "")
    }

    /// The same JSON with characters that a terminal obeys or hides as escapes. They stand inside strings only.
    public static func visibleJSON(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 0x0A }) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            guard scalar.isHidden, scalar != "\n" else {
                result.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return result
    }

    /// A value as JSON with its keys in order: in one line, or with one member a line and a final line break.
    public static func json(_ value: some Encodable, isPretty: Bool = false) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
        guard let data = try? encoder.encode(value) else { preconditionFailure("texts and numbers always encode") }
        return String(decoding: data, as: UTF8.self) + (isPretty ? "\n" : "")
    }

    /// A value as one line of JSON for a terminal.
    public static func jsonLine(_ value: some Encodable) -> String { visibleJSON(json(value)) }

    /// Columns and rows of a terminal; nil for another descriptor.
    public static func windowSize(of descriptor: Int32) -> (columns: Int, rows: Int)? {
        var size = winsize()
        guard isatty(descriptor) == 1, ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return nil
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Prints an error and exits.
    /// - Parameter status: 65 for bad data, 69 for an unreachable service, 64 for a usage error (BSD's sysexits).
    public static func fail(_ program: String, _ reason: some CustomStringConvertible, status: Int32) -> Never {
        printError("\(program): \(reason)")
        exit(status)
    }

    /// The result of a body; prints its error and exits.
    /// - Parameter status: as for ``fail(_:_:status:)``.
    public static func orFail<Result>(_ program: String, status: Int32, _ body: () throws -> Result) -> Result {
        do { return try body() } catch { fail(program, String(describing: error), status: status) }
    }

    /// A word as a shell reads it.
    public static func shellWord(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy {
            $0 >= 0x80 || $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z")
                || "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-=:,@%".utf8.contains($0)
        }
        return isPlain && !text.isEmpty ? text : "'\(text.replacing("'", with: "'\\''"))'"
    }

    /// ` --pass 'open sesame'`, the option for a table's phrase. Empty without one, and for a phrase with invisible characters, which a line cannot
    /// show.
    public static func passOption(_ pass: String?) -> String {
        guard let pass, visible(pass) == pass, !pass.contains(where: { $0.isNewline || $0 == "\t" }) else { return "" }
        // A phrase that begins with a hyphen would be taken for an option.
        return " --pass\(pass.hasPrefix("-") ? "=" : " ")\(shellWord(pass))"
    }

    /// Writes text.
    /// - Parameter stall: milliseconds that a non-blocking descriptor may take nothing, as shared terminals and pipes may be; -1 for ever.
    /// - Returns: true when all of it was written.
    @discardableResult
    public static func write(_ text: String, to descriptor: Int32, stall: Int32 = 60_000) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                if count < 0 && (errno == EINTR || errno == EAGAIN && isWritable(descriptor, within: stall)) { continue }
                return false
            }
            bytes = bytes.dropFirst(count)
        }
        return true
    }

    private static func isWritable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        let count = poll(&entry, 1, milliseconds)
        if count == 0 { errno = EAGAIN }
        return count > 0 || count < 0 && errno == EINTR
    }

    /// Bytes of a configuration file.
    private static let configurationLimit = 1 << 20

    /// Reads a configuration file.
    public static func configurationFile(_ path: String) throws(FileError) -> [UInt8] {
        do throws(FileFault) { return try RegularFile.read(path, upTo: configurationLimit) } catch {
            throw FileError(file: path, problem: "cannot be read: \(error.reason)")
        }
    }

    /// The system's message without Foundation's wrapper.
    public static func reason(_ error: any Error) -> String {
        // Not `NSError` or `localizedDescription`: each adds 44 MB to a static program.
        let inner = (error as? CocoaError)?.underlying ?? error
        return (inner as? POSIXError).map { String(cString: strerror($0.code.rawValue)) } ?? String(describing: error)
    }
}

extension Command {
    /// Parses the process's command line and environment. Prints help and errors, then exits.
    public func parseOrExit() -> Program {
        signal(SIGPIPE, SIG_IGN)
        switch parseProcess() {
        case .run(let program, _): return program
        case .answer(let text):
            Console.printText(text)
            exit(0)
        case .refusal(let error):
            Console.printError(error.description)
            exit(error.status)
        }
    }

    /// Parses the process's command line, environment and configuration file.
    public func parseProcess() -> Outcome<Program> {
        Console.openStandardDescriptors()
        return parse(
            Console.arguments.dropFirst(), environment: ProcessInfo.processInfo.environment,
            readFile: Console.configurationFile)
    }
}

// MARK: - Files

/// A file error in one line: path and the system's reason.
public struct FileFault: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String
    let reason: String

    /// In the caller's words.
    package init(description: String) { (self.description, reason) = (description, description) }

    package init(_ verb: String, _ path: String, _ reason: String) {
        (self.description, self.reason) = ("cannot \(verb) \(path): \(reason)", reason)
    }

    /// From `errno`.
    package init(_ verb: String, _ path: String) { self.init(verb, path, String(cString: strerror(errno))) }
}

extension Console {
    /// A file's, pipe's or device's UTF-8 text.
    /// - Parameter limit: in bytes; a longer file is an error, which bounds endless ones.
    public static func text(of path: String, upTo limit: Int = 1 << 26) throws(FileFault) -> String {
        let bytes = try RegularFile.read(path, upTo: limit, takesStreams: true)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw FileFault("read", path, "it is not UTF-8 text")
        }
        return text
    }

    /// Overwrites a file in place: follows links, keeps pipes and devices.
    public static func write(_ text: String, toFile path: String) throws(FileFault) {
        let file = try OutputFile(path)
        try file.append(text)
        try file.close()
    }

    // MARK: Process

    /// Program name and arguments. `CommandLine.arguments` needs /proc on Linux and is empty without it.
    public static var arguments: [String] { givenArguments ?? CommandLine.arguments }

    /// The arguments from the C library; nil where it does not pass them.
    static var givenArguments: [String]? {
        let count = bj_argument_count()
        return count > 0 ? (0..<count).compactMap { bj_argument($0).map { String(cString: $0) } } : nil
    }

    /// Opens closed descriptors among 0 to 2, so that no socket gets the number of a standard stream. Reading or writing them
    /// still fails. Call before opening anything else.
    static func openStandardDescriptors() {
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // All lower numbers are in use, so `open` returns this one.
            let opened = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
            guard opened < 0 else { continue }
            // No /dev, as in an empty root: an unconnected socket cannot be read or written either.
            #if canImport(Glibc)
                _ = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            #else
                _ = socket(AF_UNIX, SOCK_STREAM, 0)
            #endif
        }
    }
}

extension Collection<UInt8> {
    /// Without the byte order mark that some editors write before UTF-8 text.
    package var withoutMark: SubSequence { dropFirst(starts(with: "\u{FEFF}".utf8) ? 3 : 0) }
}

/// A file written incrementally.
public struct OutputFile: Sendable {
    private let path: String
    private let descriptor: Int32

    /// Opens and truncates the file.
    public init(_ path: String) throws(FileFault) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileFault("write", path) }
    }

    public func append(_ text: String) throws(FileFault) {
        guard Console.write(text, to: descriptor) else { throw FileFault("write", path) }
    }

    /// Closes the file. Some file systems report write errors only here.
    public func close() throws(FileFault) {
        guard Foundation.close(descriptor) == 0 else { throw FileFault("write", path) }
    }
}

/// Reads a file whole.
public enum RegularFile {
    /// The file's bytes, without a byte order mark.
    /// - Parameters:
    ///   - limit: the most bytes; a longer file is an error, which bounds endless ones.
    ///   - cuts: whether of a longer file its first bytes are returned, one more than the limit at least.
    ///   - takesStreams: whether pipes and devices are read, too, to their end. Otherwise nothing blocks.
    public static func read(
        _ path: String, upTo limit: Int, cuts: Bool = false, takesStreams: Bool = false
    ) throws(FileFault) -> [UInt8] {
        // Without O_NONBLOCK opening a pipe blocks until a writer opens it.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | (takesStreams ? 0 : O_NONBLOCK))
        guard descriptor >= 0 else { throw FileFault("read", path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileFault("read", path) }
        guard takesStreams || status.st_mode & S_IFMT == S_IFREG else {
            let kind = status.st_mode & S_IFMT == S_IFDIR ? "a directory" : "a pipe or a device"
            throw FileFault("read", path, "it is \(kind), not a regular file")
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Foundation.read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw FileFault("read", path) }
            guard count > 0 else { return Array(bytes.withoutMark) }
            bytes += buffer[..<count]
            if cuts, bytes.count > limit { return bytes }
            guard bytes.count <= limit else { throw FileFault("read", path, "it is longer than \(limit) bytes") }
        }
    }
}

extension Unicode.Scalar {
    /// Whether a terminal obeys or hides it, or does not know it.
    fileprivate var isHidden: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
