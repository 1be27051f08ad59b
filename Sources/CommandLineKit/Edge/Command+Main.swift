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

    /// Replaces characters that a terminal obeys or hides (controls, format characters) by their code; line breaks and tabs stay.
    public static func visible(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control where scalar == "\n" || scalar == "\t": result.unicodeScalars.append(scalar)
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The same JSON with characters that a terminal obeys or hides as escapes. They stand inside strings only.
    public static func visibleJSON(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 0x0A }) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control where scalar == "\n": result.unicodeScalars.append(scalar)
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

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

    /// Writes text.
    /// - Returns: true when all of it was written.
    @discardableResult
    public static func write(_ text: String, to descriptor: Int32) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                if count < 0 && (errno == EINTR || errno == EAGAIN && isWritable(descriptor)) { continue }
                return false
            }
            bytes = bytes.dropFirst(count)
        }
        return true
    }

    /// Polls until a non-blocking descriptor is writable; terminals and pipes may be shared and non-blocking.
    private static func isWritable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        let count = poll(&entry, 1, 60_000)
        if count == 0 { errno = EAGAIN }
        return count > 0 || count < 0 && errno == EINTR
    }

    /// Reads a configuration file.
    public static func configurationFile(_ path: String) throws(ConfigurationError) -> [UInt8] {
        // One byte over the limit proves that it is too large.
        switch RegularFile.read(path, limit: ConfigurationReader.limit + 1) {
        case .success(let bytes): return bytes
        case .failure(let failure):
            throw ConfigurationError(file: path, place: "", problem: "cannot be read: \(failure.reason)")
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
