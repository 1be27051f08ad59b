import CommandLineKit
import Sockets
import Synchronization
import TestKit
import Testing

@testable import LoadGenerator

private func line(_ text: String) -> [UInt8] { Array((text + "\n").utf8) }

/// A server that forgets whom it has let in: it hears logins and answers as it is told, and hangs up after the first.
private final class ForgetfulServer: ConnectionHandler, @unchecked Sendable {  // touched on its loop alone
    let loop = Loop(label: "test.forgetful")
    private var listener: Listener?
    private var connections: [Connection] = []
    private var logins: [[String: JSONTree]] = []
    private let heard: @Sendable ([[String: JSONTree]]) -> Void

    init(heard: @escaping @Sendable ([[String: JSONTree]]) -> Void) { self.heard = heard }

    func start() throws -> Int {
        try loop.performAndWait {
            let listener = try Listener(host: "127.0.0.1", port: 0, loop: loop) { [weak self] connection in
                connection.handler = self
                self?.connections.append(connection)
                let limits =
                    #"{"line":4096,"depth":16,"members":64,"id":64,"name":60,"chat":800,"requestsPerSecond":20,"burst":60}"#
                connection.send(
                    line(
                        #"{"type":"hello","server":"test","house":"0123456789abcdef","versions":[1,1],"time":1000000,"idleSeconds":900,"limits":\#(limits),"features":[]}"#
                    ))
            }
            self.listener = listener
            return listener.address.port
        }
    }

    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        for request in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            guard let tree = try? JSONTree(parsing: String(request).utf8), tree["type"]?.string == "login",
                let id = tree["id"]?.number
            else { continue }
            logins.append(["name": tree["name"] ?? .null, "secret": tree["secret"] ?? .null])
            let name = tree["name"]?.string ?? ""
            switch logins.count {
            case 1:
                connection.send(line(#"{"type":"ok","id":\#(Int(id)),"to":"login","name":"\#(name)","chips":1000}"#))
                connection.close()
            case 2:
                connection.send(
                    line(
                        #"{"type":"error","id":\#(Int(id)),"to":"login","class":"rule","code":"wrong_secret","message":"Not yours."}"#
                    ))
            default: heard(logins)
            }
        }
    }

    func connection(_ connection: Connection, endedBy reason: EndReason) {}
}

@Test(.ownThread) func aBotWhoseNameSomebodyTookMeanwhile_comesBackUnderAnotherOne() async throws {
    let once = Mutex(false)
    let kept = Mutex<(server: ForgetfulServer, crew: LoopConfined<LoadCrew>)?>(nil)
    let logins = try await withCheckedThrowingContinuation { (done: CheckedContinuation<[[String: JSONTree]], any Error>) in
        let server = ForgetfulServer { logins in
            let isFirst = once.withLock { was in
                defer { was = true }
                return !was
            }
            if isFirst { done.resume(returning: logins) }
        }
        do {
            var options = LoadRun.Options(host: "127.0.0.1", port: try server.start())
            options.namePrefix = "b-"
            let crew = LoopConfined<LoadCrew>.makeCrew(options, index: 0)
            kept.withLock { $0 = (server, crew) }
            crew.perform { $0.bring([(number: 7, table: nil, moment: Microclock.now)]) }
        } catch {
            done.resume(throwing: error)
        }
    }
    #expect(logins.map { $0["name"] } == [.string("b-7"), .string("b-7"), .string("b-7.3")])
    #expect(logins[0]["secret"] != .null && Set(logins.map { $0["secret"]?.string }).count == 1)
    guard let (server, crew) = kept.withLock({ $0 }) else { return }
    #expect(crew.performAndWait { $0.report() }.errors.keys.allSatisfy { !$0.contains("secret") })
    crew.perform { $0.stop() }
    crew.perform { $0.dissolve() }
    server.loop.stop()
}
