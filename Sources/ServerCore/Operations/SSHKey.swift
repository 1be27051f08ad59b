import Fairness
import Foundation

/// A public key as OpenSSH prints it: `ssh-ed25519 AAAA… ann@laptop`.
public struct SSHKey: Equatable, Sendable {
    /// Whether the key is a certificate: each renewal is another one.
    public let isCertificate: Bool
    private let digest: [UInt8]

    /// nil for any other text.
    public init?(_ text: some StringProtocol) {
        let words = text.split(separator: " ")
        guard words.count > 1, let bytes = Data(base64Encoded: String(words[1])), !bytes.isEmpty else { return nil }
        isCertificate = words[0].firstRange(of: "-cert-") != nil
        digest = SHA256.hash(bytes).bytes
    }

    /// The only key of the file that `SSH_USER_AUTH` names, with a line for each method of the login (sshd_config(5), ExposeAuthInfo).
    public init?(login text: String) {
        let prefix = "publickey "
        let keys = text.split(separator: "\n").filter { $0.hasPrefix(prefix) }
        guard keys.count == 1 else { return nil }
        self.init(keys[0].dropFirst(prefix.count))
    }

    /// `SHA256:…`, as `ssh-keygen -l` prints it.
    public var fingerprint: String { "SHA256:\(Data(digest).base64EncodedString().prefix { $0 != "=" })" }

    /// The SHA-256 in hexadecimal digits, the name of a folder.
    public var folder: String { digest.hex }
}
