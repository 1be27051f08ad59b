import Foundation

/// The process itself: what a `main` reads from it and writes to it.
public enum Console {
    /// Writes a line to standard output, at once. A program whose output can't be written ends with status 74 (`EX_IOERR`): nobody is to
    /// take half of it for the whole.
    public static func print(_ line: String) {
        guard write(line + "\n", to: 1) else {
            printError("cannot write to standard output: \(String(cString: strerror(errno)))")
            exit(74)
        }
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
                if count < 0 && errno == EINTR { continue }
                return false
            }
            bytes = bytes.dropFirst(count)
        }
        return true
    }

    /// The bytes of a configuration file.
    public static func configurationFile(_ path: String) throws(ConfigurationError) -> [UInt8] {
        do {
            // One byte more than may be is enough to know that it is too large.
            let handle = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? handle.close() }
            return Array(try handle.read(upToCount: ConfigurationReader.limit + 1) ?? Data())
        } catch {
            throw ConfigurationError(file: path, place: "", problem: "cannot be read: \(reason(error))")
        }
    }

    /// The system's own words, without Foundation's around them.
    private static func reason(_ error: any Error) -> String {
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
            Console.write(text, to: 1)
            exit(0)
        case .refusal(let error):
            Console.printError(error.description)
            exit(error.status)
        }
    }

    /// Reads the process's own command line and environment, and the configuration file that they name.
    public func parseProcess() -> Outcome<Program> {
        parse(
            CommandLine.arguments.dropFirst(), environment: ProcessInfo.processInfo.environment,
            readFile: Console.configurationFile)
    }
}
