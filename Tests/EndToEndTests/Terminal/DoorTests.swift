import ClientCore
import Rules
import Sockets
import TestKit
import Testing
import Wire

@testable import ServerCore
@testable import TerminalUI

/// Callers with the plainest of sockets at a door before a real server.
@Suite(.ownThread, .timeLimit(.minutes(15)))
struct DoorTests {
    private let server: RunningServer
    private let scratch = ScratchFolder()

    init() throws {
        server = try RunningServer(bans: [#require(AddressBlock("198.51.100.0/24"))]) { $0.tables[0].pass = "kiwi" }
        _ = try server.server.startProxyListener(socket: scratch.path + "/door.sock", trusted: [])
    }

    /// - Parameter address: of all callers, as the door says to the server.
    private func open(
        _ address: String = "192.0.2.7", _ change: (inout Door.Bounds) -> Void = { _ in }
    ) throws -> (door: LoopConfined<Door>, port: Int) {
        let loop = Loop(label: "test.door")
        let source = ProxyHeader.Endpoint(try #require(IPAddress(address)), 1)
        var bounds = Door.Bounds()
        change(&bounds)
        let door = loop.performAndWait { [bounds, port = server.port, path = scratch.path] in
            let door = Door(loop: loop, host: "127.0.0.1", port: port, bounds: bounds) { _ in
                ProxyRoute(.socket(path + "/door.sock"), header: ProxyHeader(source: source).bytes)
            }
            return LoopConfined(door, on: loop)
        }
        let listened = door.performAndWait { door in
            Result { () throws(SocketError) in try door.listen(host: "127.0.0.1", port: 0) }
        }
        return (door, try listened.get().port)
    }

    private func call(_ port: Int, _ lines: String...) throws -> RawPeer {
        let caller = try #require(RawPeer(port: port))
        for line in lines { caller.send(line) }
        return caller
    }

    @Test func aCaller_isAskedForNameAndPhrase_andPlays_underTheirAddress() async throws {
        let (door, port) = try open()
        let caller = try call(port)
        #expect(caller.sees("Blackjack. Your name?\r"))
        for (line, answer) in [
            ("a/b", "Your name?\r"), ("Fay", "Pass phrase of main (shown as you type; empty line to cancel):"),
            ("plum", "Wrong pass phrase for main."),
            ("kiwi", "You have seat 1 and 1000 chips."), ("10", "You bet 10."), ("say ♠ é", "<Fay> S ?"),
        ] {
            caller.send(line)
            #expect(caller.sees(answer), "\(line)")
        }
        #expect(server.server.inspect { $0.sessions.values.compactMap(\.address?.description) } == ["192.0.2.7"])
        let other = try call(port, "Fay", "Gus", "kiwi")
        #expect(other.sees("Fay is taken. Another name?\r") && other.sees("You are Gus.") && other.sees("You have seat 2"))
        // A hand-over by the server, as after its crash: the same player comes back.
        server.server.cutEveryConnection()
        #expect(other.sees("Connection lost") && other.sees("The connection is back."))
        // Fay, too, must be back: what happens before she does not see.
        #expect(caller.sees("The connection is back."))
        // The end of a connection is the end of the player.
        other.close()
        #expect(caller.sees("Gus leaves"))
        door.perform { $0.close() }
        #expect(caller.rest().contains("The door is closing.\r\n"))
        await server.stop()
    }

    @Test func whoIsNoPerson_orKnowsNoPhrase_isSentAway() async throws {
        let (_, port) = try open()
        let program = try call(port, #"{"type":"login","name":"Fay"}"#).rest()
        #expect(program.contains("This door is for people: the game's port is \(server.port).\r\n"), "\(program)")
        let page = try call(port, "POST / HTTP/1.1", "Fay", "kiwi", "bet 10")
        #expect(page.isClosedByServer())
        let guesser = try call(port, "Fay", "1", "2", "3", "kiwi").rest()
        #expect(guesser.hasSuffix("Three wrong phrases.\r\n"), "\(guesser)")
        let endless = try call(port, String(repeating: "a", count: 2000)).rest()
        #expect(endless.hasSuffix("A line may have at most 1024 bytes.\r\n"), "\(endless)")
        let (_, hasty) = try open { $0.patience = 1 }
        #expect(try call(hasty).rest().hasSuffix("A minute is over: call again when you know name and phrase.\r\n"))
        let (_, banned) = try open("198.51.100.9")
        #expect(try call(banned).rest() == "The table is not open: try again later.\r\n")
        #expect(server.rounds == 0)
        await server.stop()
    }

    @Test func atTheBounds_theOldestWithoutASeatMakesRoom() async throws {
        let (_, crowd) = try open { $0.callersOfAddress = 1 }
        let first = try call(crowd)
        #expect(first.sees("Your name?"))
        #expect(try call(crowd).rest() == "Your address has 1 connections already.\r\n")
        first.close()
        let (_, port) = try open { $0.callers = 2 }
        let seated = try call(port, "Fay", "kiwi")
        #expect(seated.sees("You have seat 1"))
        let oldest = try call(port)
        #expect(oldest.sees("Your name?"))
        let newest = try call(port, "Gus", "kiwi")
        #expect(oldest.rest().hasSuffix("Others wait at the door.\r\n") && newest.sees("You have seat 2"))
        #expect(try call(port).rest() == "All 2 places are taken: try again later.\r\n")
        let (_, narrow) = try open { $0.callers = 1 }
        let burst = try (0..<8).map { _ in try call(narrow) }
        for caller in burst.dropLast() { #expect(caller.rest().hasSuffix("Others wait at the door.\r\n")) }
        await server.stop()
    }

    @Test func aFlood_isAnsweredInTurn_andWhoDoesNotRead_isCut() async throws {
        let (_, port) = try open()
        let flood = try #require(RawPeer(port: port, receiveBuffer: 4096))
        flood.send("Fay")
        #expect(flood.sees("Pass phrase"))
        flood.send("kiwi")
        #expect(flood.sees("You have seat 1"))
        flood.send([UInt8](Array("help\n".utf8).repeated(4000)))
        let other = try call(port, "Gus", "kiwi")
        #expect(other.sees("You have seat 2"))
        other.send("leave")
        #expect(other.isClosedByServer())
        flood.close()
        await server.stop()
    }
}

extension Array {
    fileprivate func repeated(_ count: Int) -> [Element] { (0..<count).flatMap { _ in self } }
}
