import Fairness
import TestKit
import Testing

@testable import ServerCore

extension VirtualServer {
    fileprivate func enter(_ name: String, _ connection: ConnectionID, secret digits: String) -> String {
        connect(connection)
        return reply(to: #"{"type":"login","name":"\#(name)","secret":"\#(digits)"}"#, connection)
    }
}

/// The secret that opens an account.
struct SecretTests {
    private let server = VirtualServer.small()

    @Test func theServerKeepsNoSecret_onlyItsDigest() throws {
        server.enter("ann", 1)
        let account = try #require(server.shard.accounts.values.first)
        let digest = try #require(account.state.secret)
        #expect(digest == SHA256.hash(secret(of: "ann").bytes))
        #expect(secret(of: "ann").opens(digest) && !secret(of: "bob").opens(digest))
        #expect("\(secret(of: "ann")) \(String(reflecting: secret(of: "ann")))" == "(secret) (secret)")
    }

    @Test func theHostsSecretOpensItsNames_whateverTheirAccountsSecretWas() throws {
        var server = VirtualServer.plain { $0.hostSecret = secret(of: "the host") }
        let first = secret(of: "the host").digits
        #expect(server.enter("house-1", 1, secret: first).contains(#""chips":1000"#))
        server.receive(#"{"type":"sit"}"#, from: 1)
        try server.establish("house-1")
        server.receive(#"{"type":"logout"}"#, from: 1)
        // The account is old, the host's secret is new.
        server = try VirtualServer(after: server, outage: 0) { $0.hostSecret = secret(of: "the host's next") }
        #expect(server.enter("house-1", 2, secret: secret(of: "eve").digits).contains("wrong_secret"))
        #expect(server.enter("house-1", 3, secret: secret(of: "the host's next").digits).contains(#""chips":1000"#))
        // It opens no other name.
        server.enter("ann", 4)
        #expect(server.enter("ann", 5, secret: secret(of: "the host's next").digits).contains("wrong_secret"))
    }
}
