#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An error of the connection to a database.
public enum DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The server refused a statement, which had no effect. The text is safe to print.
    case refused(state: String, text: String)
    /// The server is away, or the connection ended: a statement under way may have had its effect.
    case away(String)
    /// A setting is wrong, here or at the server, which may have said so with a SQLSTATE.
    case unusable(String, state: String? = nil)
    /// The database has a row that no server has written, or lacks one.
    case damaged(String)

    public var description: String {
        switch self {
        case .refused(let state, let text), .unusable(let text, let state?): "\(text) (SQLSTATE \(state))"
        case .away(let text), .unusable(let text, nil), .damaged(let text): text
        }
    }
}

/// `postgres://USER@HOST:PORT,HOST:PORT/DATABASE?OPTIONS`, as libpq has it, without a password. Of several hosts the primary is used.
public struct DatabaseURL: Hashable, Sendable, CustomStringConvertible {
    struct Host: Hashable, Sendable, CustomStringConvertible {
        /// A name, an address, or the folder of a Unix-domain socket, which begins with `/`.
        var name: String
        var port: UInt16
        var isFolder: Bool { name.hasPrefix("/") }
        /// The line of a socket has its folder, or localhost if the folder is one of those that PostgreSQL is built with.
        var namesInPasswordFiles: [String] {
            [name] + (["/tmp", "/run/postgresql", "/var/run/postgresql"].contains(name) ? ["localhost"] : [])
        }
        var description: String {
            isFolder
                ? "\(name)/.s.PGSQL.\(port)" : name.utf8.contains(UInt8(ascii: ":")) ? "[\(name)]:\(port)" : "\(name):\(port)"
        }
    }

    public private(set) var description: String
    private(set) var hosts: [Host] = []
    let user: String
    let database: String
    /// The partition of `partition=K`; nil: not said.
    public private(set) var partition: Int?
    /// The method of logging in by `require_auth`; nil: the one that the server asks for.
    private(set) var login: Login?

    enum Login: String {
        case proof = "scram-sha-256"
        case none
    }

    private static let schemes = ["postgres://", "postgresql://"]
    static let standardPort: UInt16 = 5432
    private static let mostHosts = 16

    /// Whether a text is meant as the URL of a database, perhaps with a fault, and not as the path of a folder.
    public static func isMeant(by text: String) -> Bool {
        text.firstRange(of: "://") != nil || text.hasPrefix("postgres:") || text.hasPrefix("postgresql:")
    }

    /// - Throws: `.unusable`, with what would be right.
    public init(_ text: String) throws(DatabaseError) {
        guard let scheme = Self.schemes.first(where: text.hasPrefix) else {
            throw .unusable("a database URL must begin with postgres://")
        }
        let rest = text.dropFirst(scheme.count)
        let address = rest.prefix { $0 != "?" }
        let (authority, path) = (address.prefix { $0 != "/" }, address.drop { $0 != "/" }.dropFirst())
        guard let at = authority.lastIndex(of: "@"), at > authority.startIndex else {
            throw .unusable("the URL has no user: it must be postgres://USER@HOST/DATABASE")
        }
        guard !authority[..<at].utf8.contains(UInt8(ascii: ":")) else {
            throw .unusable("a URL must not have a password, since others can read it: set PGPASSFILE or PGPASSWORD")
        }
        user = try Self.decoded(authority[..<at])
        database = path.isEmpty ? user : try Self.decoded(path)
        description = text.printable(upTo: 300)
        var (names, ports) = ([Substring](), [Substring]())
        for host in authority[authority.index(after: at)...].split(separator: ",") {
            // The colon after the last bracket, if the address is in brackets.
            let colon =
                host.lastIndex(of: ":").flatMap { host[$0...].utf8.contains(UInt8(ascii: "]")) ? nil : $0 } ?? host.endIndex
            names.append(host[..<colon])
            ports.append(host[colon...].dropFirst())
        }
        for option in rest[address.endIndex...].dropFirst().split(separator: "&") {
            let (name, value) = (option.prefix { $0 != "=" }, option.drop { $0 != "=" }.dropFirst())
            switch (name, value) {
            case ("host", _) where names.isEmpty: names = value.split(separator: ",")
            case ("port", _) where ports.allSatisfy(\.isEmpty): ports = value.split(separator: ",")
            case ("sslmode", "disable"), ("target_session_attrs", "primary"), ("target_session_attrs", "read-write"): break
            case ("partition", _):
                guard let number = Int(value), (1...9999).contains(number) else {
                    throw .unusable(
                        "partition=\(value.printable(upTo: 300)) in the URL must be a number from 1")
                }
                partition = number
            case ("require_auth", _):
                guard let login = Login(rawValue: String(value)) else {
                    throw .unusable(
                        "require_auth=\(value.printable(upTo: 300)): supported are scram-sha-256, and none for a login without "
                            + "a password")
                }
                self.login = login
            case ("sslmode", _):
                throw .unusable(
                    "sslmode=\(value): TLS is not supported: use a local proxy such as stunnel, with its address as the host")
            case ("password", _), ("passfile", _): throw .unusable("a URL must not have a password: set PGPASSFILE or PGPASSWORD")
            default:
                throw .unusable(
                    "the option \(name.printable(upTo: 300)) in the URL is unknown: use host, port, partition and require_auth"
                )
            }
        }
        guard (1...Self.mostHosts).contains(names.count), ports.count <= 1 || ports.count == names.count else {
            throw .unusable(
                "the URL must name 1 to \(Self.mostHosts) hosts, each with a port: postgres://USER@HOST:PORT,HOST:PORT/DATABASE")
        }
        for (index, name) in names.enumerated() {
            let digits = ports.count == 1 ? ports[0] : ports.isEmpty ? "" : ports[index]
            guard let port = digits.isEmpty ? Self.standardPort : UInt16(digits), port > 0, !name.isEmpty else {
                throw .unusable("\("\(name):\(digits)".printable(upTo: 300)) is not a host and port")
            }
            hosts.append(Host(name: try Self.decoded(name.hasPrefix("[") ? name.dropFirst().dropLast() : name), port: port))
        }
    }

    /// The URL with a partition, if it has none.
    func naming(partition: Int) -> DatabaseURL {
        guard self.partition == nil else { return self }
        var url = self
        url.partition = partition
        url.description += "\(description.utf8.contains(UInt8(ascii: "?")) ? "&" : "?")partition=\(partition)"
        return url
    }

    /// Replaces `%2F` and the like.
    private static func decoded(_ text: Substring) throws(DatabaseError) -> String {
        var (bytes, rest) = ([UInt8](), Array(text.utf8)[...])
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), rest.count >= 2 else {
                throw .unusable("a % in the URL is not followed by two hexadecimal digits")
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard !bytes.contains(0), bytes.count <= 255 else {
            throw .unusable("a part of the URL is longer than 255 bytes, or has a NUL")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

// MARK: - Passwords

extension DatabaseURL {
    /// The SQLSTATE of a server that refuses a password: of one that is missing or cannot be read, too.
    static let noPassword = "28P01"

    /// The password for a host, as libpq finds it: from `PGPASSWORD`, else from the file that `PGPASSFILE` names, else from `~/.pgpass`; nil
    /// for none.
    /// - Throws: `.unusable` for a file that others may read.
    func password(for host: Host) throws(DatabaseError) -> [UInt8]? {
        if let password = Self.environment("PGPASSWORD") { return password }
        let path: String
        if let file = Self.environment("PGPASSFILE") {
            path = String(decoding: file, as: UTF8.self)
        } else if let home = Self.environment("HOME") {
            path = String(decoding: home, as: UTF8.self) + "/.pgpass"
            guard access(path, F_OK) == 0 else { return nil }
        } else {
            return nil
        }
        return Self.password(
            in: try Self.passwordFile(path), for: [host.namesInPasswordFiles, ["\(host.port)"], [database], [user]])
    }

    /// Variables of a test in place of the process's: other threads read those, and `setenv` moves them.
    @TaskLocal static var variables: [String: String]?

    /// nil for one that is not set, or empty.
    private static func environment(_ name: String) -> [UInt8]? {
        if let variables { return variables[name].flatMap { $0.isEmpty ? nil : Array($0.utf8) } }
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return UnsafeBufferPointer(start: value, count: strlen(value)).map { UInt8(bitPattern: $0) }
    }

    private static let longestFile = 1 << 16

    static func passwordFile(_ path: String) throws(DatabaseError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw .unusable(
                "the password file \(path) cannot be read: \(String(cString: strerror(errno)))", state: Self.noPassword)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .unusable("the password file \(path) is not a file", state: Self.noPassword)
        }
        guard status.st_mode & 0o077 == 0 else {
            throw .unusable(
                "the password file is readable by other users (mode \(String(status.st_mode & 0o777, radix: 8))): chmod 600 \(path)",
                state: Self.noPassword)
        }
        var bytes = [UInt8](repeating: 0, count: longestFile)
        let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        guard (0..<longestFile).contains(count) else {
            throw .unusable("the password file \(path) cannot be read, or is too long", state: Self.noPassword)
        }
        return Array(bytes.prefix(count))
    }

    /// The password of the first line `host:port:database:user:password` that fits: `*` fits all, and a backslash comes before `:` and `\`.
    /// - Parameter fields: the texts that fit each field but the last.
    static func password(in file: [UInt8], for fields: [[String]]) -> [UInt8]? {
        for line in file.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
            var (parts, isEscaped) = ([[UInt8]()], false)
            for byte in line where byte != UInt8(ascii: "\r") {
                if isEscaped {
                    parts[parts.count - 1].append(byte)
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: ":"), parts.count <= fields.count {
                    parts.append([])
                } else {
                    parts[parts.count - 1].append(byte)
                }
            }
            if parts.count == 5,
                zip(parts, fields).allSatisfy({ part, names in (names + ["*"]).contains { part == Array($0.utf8) } })
            {
                return parts[4]
            }
        }
        return nil
    }
}
