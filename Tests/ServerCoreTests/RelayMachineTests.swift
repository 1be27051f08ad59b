import TestKit
import Testing
import Wire

@testable import ServerCore
@testable import Sockets

extension RelayIntroduction {
    /// Any that a server may send.
    fileprivate static func random(_ random: inout SeededGenerator) -> RelayIntroduction {
        func bit() -> Bool { random.below(2) == 0 }
        func secret() -> [UInt8] { (0..<16).map { _ in UInt8(random.below(256)) } }
        var introduction = RelayIntroduction(key: secret())
        introduction.partition = 1 + random.below(65_535)
        introduction.timeToLogIn = Int64(random.below(1 << 30))
        introduction.options = ConnectionOptions(
            fair: bit(), facts: bit(), pedantic: bit(), silence: bit() ? 0 : 5 + random.below(296),
            brief: bit() ? true : nil)
        introduction.followsLobby = bit()
        introduction.ticket = bit() ? secret() : nil
        introduction.loginName = ["", "ann", "Zoë", "a player's name long"][random.below(4)]
        return introduction
    }
}

/// The header in which a server writes it, as the other one reads it.
private func read(_ header: [UInt8], cutAt cut: Int = 0) throws -> ProxyHeader {
    var parser = ProxyHeaderParser()
    #expect(try parser.parse(header[..<cut]) == nil)
    let (read, used) = try #require(try parser.parse(header[cut...] + Array("{}\n".utf8)))
    #expect(cut + used == header.count)
    return read
}

struct RelayIntroductionTests {
    @Test func anIntroduction_isReadAsItWasWritten_howeverItIsCut() throws {
        var random = SeededGenerator()
        for _ in 0..<300 {
            let introduction = RelayIntroduction.random(&random)
            let client = [IPAddress("192.0.2.7"), IPAddress("2001:db8::7"), nil][random.below(3)]
            let header = ProxyHeader.introducing(client, introduction).bytes
            #expect(header.count <= ProxyHeaderParser.limit)
            let again = try read(header, cutAt: random.below(header.count))
            #expect(again.introduction == introduction && again.source?.address == client, "BJ_SEED=\(Seed.value)")
            let announced = MovingOn.announcement(introduction)
            #expect(announced.first == MovingOn.start && Array(announced[3...]) == introduction.bytes)
        }
    }

    /// Each byte of it changed, removed, or the last of those that are left.
    @Test func aMalformedIntroduction_isATypedError() throws {
        var random = SeededGenerator()
        var introduction = RelayIntroduction.random(&random)
        (introduction.ticket, introduction.loginName) = (introduction.key, "ann")
        let bytes = introduction.bytes
        for count in 0..<45 { #expect(throws: RelayFault.self) { try RelayIntroduction(bytes.prefix(count)) } }
        // Mark, partition, flags, silence, name.
        for (index, value) in [(0, 0), (4, 0), (6, 0x80), (7, 0xFF), (45, 0xFF), (45, 0x0A)] as [(Int, UInt8)] {
            var changed = bytes
            changed[index] = value
            if index == 4 { changed[5] = 0 }
            #expect(throws: RelayFault.self) { try RelayIntroduction(changed) }
        }
        #expect(throws: RelayFault.self) { try RelayIntroduction(bytes + Array(repeating: 0x61, count: 60)) }
        for _ in 0..<5000 {
            var header = ProxyHeader.introducing(IPAddress("192.0.2.7"), introduction).bytes
            header[28 + random.below(header.count - 28)] = UInt8(random.below(256))
            var parser = ProxyHeaderParser()
            // Refused, or another one: it never traps.
            _ = try? parser.parse(header)
        }
    }

    @Test func twoIntroductions_areRefused_andAProxysOwnValueOfTheTypeIsSkipped() throws {
        var random = SeededGenerator()
        let introduction = RelayIntroduction.random(&random)
        func header(_ values: [[UInt8]]) -> [UInt8] {
            var block: [UInt8] = [192, 0, 2, 1, 198, 51, 100, 1, 0, 1, 0, 2]
            for value in values { block += [0xE0, UInt8(value.count >> 8), UInt8(value.count & 255)] + value }
            return ProxyHeaderParser.signature2 + [0x21, 0x11, UInt8(block.count >> 8), UInt8(block.count & 255)] + block
        }
        let own: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        #expect(try read(header([own])).introduction == nil)
        #expect(try read(header([own, introduction.bytes, []])).introduction == introduction)
        var parser = ProxyHeaderParser()
        #expect(throws: ProxyHeaderError.malformed("two introductions")) {
            try parser.parse(header([introduction.bytes, introduction.bytes]))
        }
        parser = ProxyHeaderParser()
        #expect(throws: ProxyHeaderError.malformed("an introduction: it is cut off")) {
            try parser.parse(header([Array(introduction.bytes.prefix(20))]))
        }
    }
}

struct RelayMachineTests {
    private let key = Array(UInt8(1)...16)

    /// An owner's bytes through a relay, in pieces: those of the client, and the last action.
    private func run(_ bytes: [UInt8], _ random: inout SeededGenerator) throws -> (
        client: [UInt8], actions: [RelayMachine.Action]
    ) {
        var machine = RelayMachine(key: key)
        machine.dialed(isAsked: true)
        var (client, actions): ([UInt8], [RelayMachine.Action]) = ([], [])
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(1 + random.below(rest.count)))
            rest = rest.dropFirst(piece.count)
            let (count, action) = try piece.withUnsafeBytes { try machine.received($0) }
            client += piece.prefix(count)
            if let action { actions.append(action) }
        }
        return (client, actions)
    }

    @Test func whatAnOwnerSaysIsTheClients_andWhatItReturnsGoesOn_howeverItIsCut() throws {
        var random = SeededGenerator()
        for _ in 0..<300 {
            let said = Array(String(repeating: "{\"type\":\"notice\"}\n", count: random.below(5)).utf8)
            let introduction = RelayIntroduction.random(&random)
            // Any bytes: a client may send zeros, and parts of a key.
            let input = (0..<random.below(200)).map { _ in UInt8(random.below(4)) } + key.prefix(random.below(16))
            // The last piece comes after the key was sent.
            let head = said + MovingOn.announcement(introduction)
            var machine = RelayMachine(key: key)
            machine.dialed(isAsked: true)
            let (count, action) = try head.withUnsafeBytes { try machine.received($0) }
            #expect(count == said.count && action == .sendKey && !machine.isForwarding)
            var rest = (input + key)[...]
            var last: RelayMachine.Action?
            while !rest.isEmpty {
                let piece = Array(rest.prefix(1 + random.below(rest.count)))
                rest = rest.dropFirst(piece.count)
                let (count, action) = try piece.withUnsafeBytes { try machine.received($0) }
                #expect(count == 0 && (action == nil || rest.isEmpty), "BJ_SEED=\(Seed.value)")
                last = action
            }
            #expect(last == .goOn(introduction, input: input), "BJ_SEED=\(Seed.value)")
            let (client, actions) = try run(head, &random)
            #expect(client == said && actions == [.sendKey], "BJ_SEED=\(Seed.value)")
        }
    }

    @Test func whatNoServerSays_isATypedError() throws {
        var random = SeededGenerator()
        let valid = MovingOn.announcement(.random(&random))
        let long = [UInt8](repeating: 0x61, count: ProxyHeaderParser.limit + MovingOn.longestInput)
        func line(_ text: String) -> [UInt8] { [0] + Array((text + "\n").utf8) }
        var wrong: [[UInt8]] = [Array("{\"type\":".utf8) + valid, line("garbage") + key, line("") + key, [0, 0, 0] + key]
        wrong += [[0] + long + key, valid.dropLast(10) + key, line("{\"partition\":2,\"introduction\":\"00\"}") + key]
        for bytes in wrong { #expect(throws: RelayFault.self) { try run(bytes, &random) } }
    }
}
