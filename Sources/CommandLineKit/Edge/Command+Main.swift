import Foundation

/// The process itself: what a `main` reads from it and writes to it.
public enum Console {
    /// Writes a line to standard output, at once; ends the program as ``printText(_:)`` does.
    public static func print(_ line: String) { printText(line + "\n") }

    /// Writes text to standard output as it is, at once.
    ///
    /// When the reader has closed the pipe, the program ends in silence with 128 + SIGPIPE = 141, the status that a shell shows for tools
    /// that the signal ends. Other failures end it with status 74 (`EX_IOERR`): nobody is to take half of the output for the whole.
    public static func printText(_ text: String) {
        guard !write(text, to: 1) else { return }
        let code = errno
        // Not the signal itself: `exit` runs what stops child processes and removes sockets.
        if code == EPIPE { exit(128 + SIGPIPE) }
        printError("cannot write to standard output: \(String(cString: strerror(code)))")
        exit(74)
    }

    /// Writes a line to standard error, at once.
    public static func printError(_ line: String) { write(line + "\n", to: 2) }

    /// Says what is wrong, and ends the process.
    /// - Parameter status: 65 for bad data, 69 for a service that can't be reached, 64 for a bad command line (BSD's sysexits).
    public static func fail(_ program: String, _ reason: some CustomStringConvertible, status: Int32) -> Never {
        printError("\(program): \(reason)")
        exit(status)
    }

    /// Writes text.
    /// - Returns: whether all of it was taken.
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

    /// Waits until a non-blocking descriptor takes more; a terminal or pipe shared with another program may be one.
    private static func isWritable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        let count = poll(&entry, 1, 60_000)
        if count == 0 { errno = EAGAIN }
        return count > 0 || count < 0 && errno == EINTR
    }

    /// The bytes of a configuration file.
    public static func configurationFile(_ path: String) throws(ConfigurationError) -> [UInt8] {
        // One byte more than may be is enough to know that it is too large.
        switch RegularFile.read(path, limit: ConfigurationReader.limit + 1) {
        case .success(let bytes): return bytes
        case .failure(let failure):
            throw ConfigurationError(file: path, place: "", problem: "cannot be read: \(failure.reason)")
        }
    }

    /// The system's own words, without Foundation's around them.
    public static func reason(_ error: any Error) -> String {
        let inner = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError ?? error as NSError
        return inner.domain == NSPOSIXErrorDomain ? String(cString: strerror(Int32(inner.code))) : error.localizedDescription
    }

    /// Runs `action` on the main queue whenever one of the signals arrives, instead of what the system would do.
    public static func onSignals(_ signals: [Int32], _ action: @escaping @Sendable (Int32) -> Void) -> [any DispatchSourceSignal]
    {
        signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler { action(number) }
            source.resume()
            return source
        }
    }
}

extension Command {
    /// Reads the process's own command line and environment. Help and the like are printed, a mistake is reported, and the process ends.
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

    /// Reads the process's own command line and environment, and the configuration file that they name.
    public func parseProcess() -> Outcome<Program> {
        Console.openStandardDescriptors()
        return parse(
            Console.arguments.dropFirst(), environment: ProcessInfo.processInfo.environment,
            readFile: Console.configurationFile)
    }
}
