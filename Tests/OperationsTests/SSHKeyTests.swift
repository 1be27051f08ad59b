import ServerCore
import Testing

/// Keys as sshd and ssh-keygen write them.
struct SSHKeyTests {
    private static let text = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIP+9hSvNR1/mjFowIhEu1/gW8T1B4rNA5eCBiF0+vAZd"

    @Test func aKeyIsKnownByItsFingerprint_asSshKeygenPrintsIt() throws {
        let key = try #require(SSHKey(Self.text + " ann@laptop"))
        #expect(key.fingerprint == "SHA256:YSPaot07E+uY6GjQG0zlCRcdr4DC0VJQ9eLJvoetJQA" && !key.isCertificate)
        #expect(key.folder.count == 64 && key.folder.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) })
        #expect(SSHKey(login: "publickey \(Self.text)\n") == key && SSHKey(login: "password\npublickey \(Self.text)") == key)
        #expect(SSHKey("ssh-ed25519-cert-v01@openssh.com AAAA")?.isCertificate == true)
        for text in [
            "", "publickey", "none", "publickey ssh-rsa", "publickey x ../..", "publickey \(Self.text)\npublickey \(Self.text)",
        ] {
            #expect(SSHKey(login: text) == nil, "\(text)")
        }
    }
}
