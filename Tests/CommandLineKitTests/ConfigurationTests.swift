import TestKit
import Testing

@testable import CommandLineKit

private struct House: Sendable, Equatable {
    struct Room: Sendable, Equatable {
        var name: String
        var seats = 7
    }

    var config: String?
    var listen = Endpoint(host: "", port: 1)
    var bots = 0
    var idleTimeout = 60_000
    var quiet = false
    var note: String?
    var rooms = [Room(name: "main")]
}

private let room = ValueFormat<House.Room>(
    "NAME", expected: "a room", parse: { $0.isEmpty ? nil : House.Room(name: $0) }, print: { "\($0.name)/\($0.seats)" }
).reading { field throws(FileError) in
    if case .string(let name) = field.value.content { return House.Room(name: name) }
    let members = try field.members("a name or an object", known: ["name", "seats"])
    guard let name = members["name"] else { throw field.error("name is missing") }
    var room = House.Room(name: try name.read(.text(upTo: 8)))
    if let seats = members["seats"] { room.seats = try seats.read(.int(1...7)) }
    return room
}

private func whole(_ house: House) -> House { house }

private let command = Command<House, House>("house", "A house.", defaults: House(), program: whole) {
    $0.configurationFile("--config", \.config, environment: "H_CONFIG", help: "The file.")
    $0.option("--listen", \.listen, .endpoint(), environment: "H_LISTEN", help: "Where.")
    $0.option("--bots", \.bots, .int(0...7), environment: "H_BOTS", help: "Bots.")
    $0.option("--idle-timeout", \.idleTimeout, .milliseconds(1...600_000), environment: "H_IDLE", help: "Idle.")
    $0.flag("--quiet", \.quiet, environment: "H_QUIET", help: "Quiet.")
    $0.option("--note", \.note, .text(), environment: "H_NOTE", help: "Note.")
    $0.option("--room", \.rooms, room, environment: "H_ROOMS", key: "rooms", help: "Rooms.")
}

private func outcome(_ file: String, _ words: [String] = [], _ environment: [String: String] = [:]) -> Outcome<House> {
    command.parse(["--config", "etc/bj.json"] + words, environment: environment) { path in
        path == "etc/bj.json" ? Array(file.utf8) : []
    }
}

private func error(_ file: String) -> String {
    guard let error = outcome(file).refusal else { return "no error" }
    #expect(error.status == 65)
    return error.message
}

@Test func layersAreFlagsThenEnvironmentThenFileThenDefaults() throws {
    let file =
        #"{"bots": 3, "listen": "127.0.0.1:5", "idleTimeout": "5m", "quiet": true, "rooms": ["a", {"name": "b", "seats": 2}]}"#
    let outcome = outcome(file, ["--bots", "1"], ["H_LISTEN": ":9", "H_BOTS": "2"])
    let (house, settings) = (try #require(outcome.program), try #require(outcome.settings))
    #expect(house.bots == 1 && house.listen.port == 9 && house.idleTimeout == 300_000 && house.quiet)
    #expect(house.rooms == [.init(name: "a"), .init(name: "b", seats: 2)])
    let sources = Dictionary(uniqueKeysWithValues: settings.map { ($0.name, $0.source) })
    #expect(sources["--bots"] == .commandLine && sources["--listen"] == .environment("H_LISTEN"))
    #expect(sources["--idle-timeout"] == .file("etc/bj.json") && sources["--note"] == .default)
}

@Test func theTableOfSettingsTellsEachValueAndItsOrigin() throws {
    let settings = try #require(outcome(#"{"note": "tell", "bots": 2}"#, [], ["H_QUIET": "yes"]).settings)
    #expect(
        settings.table == """
            listen       :1      default
            bots         2       file etc/bj.json
            idleTimeout  1m      default
            quiet        yes     environment H_QUIET
            note         tell    file etc/bj.json
            rooms        main/7  default

            """)
}

@Test(arguments: [
    (#"{"bots": 9}"#, "etc/bj.json:1:2: bots: 9 is not a whole number from 0 to 7"),
    (#"{"bots": "3"}"#, "etc/bj.json:1:2: bots: \"3\" is not a whole number from 0 to 7"),
    (#"{"bots": 3.5}"#, "etc/bj.json:1:2: bots: 3.5 is not a whole number from 0 to 7"),
    (#"{"bots": null}"#, "etc/bj.json:1:2: bots: null is not a whole number from 0 to 7"),
    (#"{"quiet": "yes"}"#, "etc/bj.json:1:2: quiet: \"yes\" is not true or false"),
    (#"{"idleTimeout": 5}"#, "etc/bj.json:1:2: idleTimeout: 5 is not a time from 1ms to 10m, such as 250ms, 60s, 5m or 1h30m"),
    (#"{"bot": 3}"#, "etc/bj.json:1:2: bot: unknown key; did you mean bots?"),
    (#"{"idle-timeout": "5m"}"#, "etc/bj.json:1:2: idle-timeout: unknown key; did you mean idleTimeout?"),
    (#"{"config": "other"}"#, "etc/bj.json:1:2: config: unknown key; known: listen, bots, idleTimeout, quiet, note, rooms"),
    (#"{"rooms": "a"}"#, "etc/bj.json:1:2: rooms: \"a\" is not a list, each item a room"),
    (#"{"rooms": [{"seats": 2}]}"#, "etc/bj.json:1:12: rooms[0]: name is missing"),
    (#"{"rooms": ["a", {"name": "b", "seats": 8}]}"#, "etc/bj.json:1:31: rooms[1].seats: 8 is not a whole number from 1 to 7"),
    (#"{"rooms": [{"name": "b", "seat": 8}]}"#, "etc/bj.json:1:26: rooms[0].seat: unknown key; did you mean seats?"),
    ("[1]", "etc/bj.json:1:1: a list is not an object with the keys of the configuration"),
    (
        "",
        "etc/bj.json:1:1: expected a value: a string in double quotes, a number, true, false, null, a list or an object"
    ),
    ("{\n  \"bots\": 3,\n}", "etc/bj.json:3:1: expected a key in double quotes"),
    (#"{"é": 1 2}"#, "etc/bj.json:1:9: expected a comma or }"),
    (#"{"bots": 03}"#, "etc/bj.json:1:10: a number must not start with 0"),
    (#"{"bots": 1, "bots": 2}"#, "etc/bj.json:1:13: duplicate key \"bots\""),
    (#"{"secret": "\ud800"}"#, "etc/bj.json:1:19: unpaired surrogate"),
    ("{} x", "etc/bj.json:1:4: unexpected text after the value"),
])
func aFaultyFileIsRefusedWithItsNameThePlaceAndWhatWouldBeRight(_ file: String, _ message: String) {
    #expect(error(file) == message)
}

@Test func aMistakeInTheFileIsToldEvenWhereAFlagGoesBeforeIt() {
    #expect(outcome(#"{"bots": 9}"#, ["--bots", "1"]).refusal?.status == 65)
}

@Test func aFileThatCannotBeReadIsNoUsageError() {
    let error = command.parse(["--config", "/no/such/file"], readFile: Console.configurationFile).refusal
    #expect(error?.message == "/no/such/file: cannot be read: No such file or directory" && error?.status == 65)
}

@Test func theReaderTakesEveryJSONAndRefusesEveryCutOfOne() throws {
    let text = #" { "a" : [ 1 , -2.5e+3 , true , false , null , "\"\\\/\b\f\n\r\t\u00e9\ud83c\udca1é" , {} , [] ] } "#
    let text8 = Array(text.utf8)
    let last: JSONTree = "\"\\/\u{8}\u{C}\n\r\t\u{e9}\u{1F0A1}\u{e9}"
    let expected = JSONTree.object([
        .init("a", [.init(.number("1")), .init(.number("-2.5e+3")), true, false, .null, last, [:], []])
    ])
    #expect(try JSONTree(parsing: text8) == expected)
    for count in 0..<(text8.count - 1) {
        #expect(throws: FileError.self) { try JSONTree(parsing: text8[..<count]) }
    }
    #expect(throws: FileError.self) { try JSONTree(parsing: [UInt8](repeating: UInt8(ascii: "["), count: 100_000)) }
}

@Test func aByteOrderMark_isNoPartOfAFile() throws {
    let scratch = ScratchFolder()
    let path = try scratch.file("marked.json", "\u{FEFF}{}")
    #expect(try withExtendedLifetime(scratch) { try RegularFile.read(path, upTo: 9) } == Array("{}".utf8))
}

@Test func aFileThatIsTooLarge_isRefused() throws {
    let scratch = ScratchFolder()
    let path = try scratch.file("large.json", String(repeating: " ", count: (1 << 20) + 1))
    let error = #expect(throws: FileError.self) { try withExtendedLifetime(scratch) { try Console.configurationFile(path) } }
    #expect(error?.problem == "cannot be read: it is longer than 1048576 bytes")
}

@Test func aByteOrderMarkBeforeAFileIsSkipped() throws {
    let scratch = ScratchFolder()
    defer { withExtendedLifetime(scratch) {} }
    let path = try scratch.file("marked.json", "\u{FEFF}{\"bots\":1}")
    #expect(try Console.configurationFile(path) == Array(#"{"bots":1}"#.utf8))
    #expect(try Console.text(of: path).utf8.elementsEqual(#"{"bots":1}"#.utf8))
}

@Test func whatAFileHoldsCannotTakeOverTheTerminal() {
    let message = error(#"{"\u001b[31m\u202e": 1}"#)
    #expect(message.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 })
}
