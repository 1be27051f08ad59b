import Foundation
import TestKit
import Testing

private let files = Repository.swiftFiles(below: "Sources") + Repository.swiftFiles(below: "Tests")

/// A function's length is taken from its brace to the brace that closes it at the same indentation, which the formatter guarantees.
/// A single switch counts without its cases: cut into several, the compiler would not ask for a new case.
@Test func noFunctionIsLongerThanSeventyLines() {
    for file in files {
        var open: [(indent: Int, line: Int)] = []
        for (number, line) in file.lines.enumerated() {
            let indent = line.prefix { $0 == " " }.count
            let text = line.dropFirst(indent)
            if text.hasPrefix("}"), let last = open.last, last.indent == indent {
                open.removeLast()
                let isShort = number - last.line <= 70 || isSingleSwitch(file.lines[(last.line + 1)..<number], indent: indent + 4)
                #expect(isShort, "\(file.path):\(last.line + 1)")
            }
            let isFunction = text.contains("func ") || text.contains("init(") || text.contains("init?(")
            if isFunction, text.hasSuffix("{"), !text.hasPrefix("//") { open.append((indent, number)) }
        }
    }
}

private func isSingleSwitch(_ body: ArraySlice<Substring>, indent: Int) -> Bool {
    let top = body.filter { $0.prefix { $0 == " " }.count == indent }.map { $0.dropFirst(indent) }.filter { !$0.hasPrefix("//") }
    guard top.count > 2, let first = top.first else { return false }
    return first.contains("switch ") && top.last == "}"
        && top.dropFirst().dropLast().allSatisfy { $0.hasPrefix("case ") || $0.hasPrefix("default:") }
}

/// Enums that grow, each with the file that declares it: a new case has to be a compile error wherever it must be known.
private let growing = [
    ("Fact", "TableEngine/Fact"), ("Command", "TableEngine/Command"), ("Record", "Records/Record"),
    ("ClientMessage", "Wire/ClientMessage"), ("ServerMessage", "Wire/ServerMessage"), ("TableItem", "TableModel/TableEntry"),
]

/// Without what is in brackets.
private func flat(_ text: String) -> String {
    var text = text
    while let inner = text.firstMatch(of: /\([^()]*\)/) { text.removeSubrange(inner.range) }
    return text
}

private func cases(of name: String, in file: String) throws -> Set<String> {
    let lines = try Repository.text("Sources/\(file).swift").split(separator: "\n")
    let start = try #require(lines.firstIndex { $0.hasPrefix("public enum \(name):") })
    let declared = lines[start...].prefix { $0 != "}" }.filter { $0.hasPrefix("    case ") || $0.hasPrefix("    indirect case ") }
    return Set(
        declared.flatMap { flat(String($0)).prefix { $0 != "(" }.matches(of: /[ ](\w+)(?=,|$| =)/).map { String($0.output.1) } })
}

/// A switch is over an enum if all its patterns are cases of that. So it may also be over another one with cases of the same names.
@Test func aDefaultOfAnEnumThatGrows_saysWhatItsCasesShare_andDoesNotTrap() throws {
    let known = try growing.map(cases)
    #expect(known.map(\.count).min() ?? 0 >= 12, "\(known)")
    for file in ["Sources", "Tests/Verification"].flatMap(Repository.swiftFiles) {
        let lines = file.lines
        for (start, line) in lines.enumerated() where line.contains("switch ") && line.hasSuffix("{") {
            let indent = line.prefix { $0 == " " }
            let end = lines[(start + 1)...].firstIndex { $0.hasPrefix(indent + "}") } ?? lines.endIndex
            guard let rest = lines[start..<end].lastIndex(where: { $0.hasPrefix(indent + "default:") }) else { continue }
            var names: Set<String> = []
            for index in start..<rest where lines[index].hasPrefix(indent + "case ") {
                var pattern = String(lines[index])
                for more in lines[(index + 1)..<rest] where !flat(pattern).contains(":") { pattern += more }
                names.formUnion(flat(pattern).prefix { $0 != ":" }.matches(of: /[ ,]\.(\w+)/).map { String($0.output.1) })
            }
            guard !names.isEmpty, known.contains(where: { names.isSubset(of: $0) }) else { continue }
            let isExplained = (rest - 1...rest + 1).contains { lines[$0].contains("// ") }
            #expect(isExplained, "\(file.path):\(rest + 1)")
            #expect(!lines[rest..<end].contains { $0.contains("preconditionFailure") }, "\(file.path):\(rest + 1)")
        }
    }
}

/// CONTRIBUTING names them where it says how to add a case.
@Test func everyCase_isInTheListsThatNoSwitchAsksFor() throws {
    let random = "Tests/TestKit/RandomPlayers.swift"
    let lists: [(name: String, file: String, pattern: String, others: Set<String>)] = [
        // Steps of ceremonies, which `RecordedHouse` takes.
        ("Command", random, "[ \\[]\\.(\\w+)", ["beginCeremonies", "supplySecret", "declare", "commit", "reveal"]),
        ("TableItem", "Sources/Wire/TableItem+Coding.swift", "ItemDescription\\(\\s*\\.(\\w+)", ["other"]),
        // The rules, which never change, are shown with the table's first row; the owner's items come from the server.
        ("TableItem", "Sources/TableEngine/Projection.swift", "show\\(\\s*\\.(\\w+)", ["rules", "pause", "match", "other"]),
        ("TableItem", "Tests/WireTests/Samples.swift", "[\\[,{]\\s*\\.(\\w+)", []),
    ]
    for (name, file, pattern, others) in lists {
        let (_, declaration) = try #require(growing.first { $0.0 == name })
        let listed = try Repository.text(file).matches(of: Regex(pattern, as: (Substring, Substring).self)).map {
            String($0.output.1)
        }
        let missing = try cases(of: name, in: declaration).subtracting(others).subtracting(listed)
        #expect(missing.isEmpty, "\(file): \(missing)")
    }
}

@Test func nothingIsLeftToBeDoneLater() {
    let markers = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK", "fatalError(\"not impl", "fatalError(\"unimpl"]
    for file in files {
        for marker in markers { #expect(!file.text.contains(marker), "\(file.path) has \(marker)") }
    }
}

@Test func testsDoNotSleep() throws {
    let sleep = try Regex("(Task\\.sleep|Thread\\.sleep|usleep\\(|[^a-zA-Z]sleep\\()")
    for file in Repository.tests where !file.path.hasSuffix("StyleTests.swift") {
        #expect(!file.mentions(["sleep"]) || file.text.firstMatch(of: sleep) == nil, "\(file.path)")
    }
}

/// A test that waits for another thread or a program has a deadline of `Deadline`, which names it: nothing else ends a blocked thread.
@Test func whatATestWaitsFor_hasADeadline() throws {
    let waits = try Regex(
        "DispatchSemaphore|DispatchGroup|with(Checked|Unsafe)(Throwing)?Continuation|\\n *for await|[^a-zA-Z]Process\\(\\)")
    for file in Repository.tests where !file.path.hasSuffix("StyleTests.swift") {
        #expect(!file.text.contains("rocess.run()") || file.path.hasSuffix("TestKit/Deadline.swift"), "\(file.path): start()")
        guard file.text.contains("@Test"), file.mentions(["Dispatch", "Continuation", "for await", "Process()"]),
            file.text.firstMatch(of: waits) != nil
        else { continue }
        #expect(file.text.contains(".ownThread"), "\(file.path) waits without a deadline")
    }
}

/// The mask is the whole process's: a thread that changes it takes permissions from the files of the others.
@Test func nothingChangesTheModeMask() {
    for file in files where !file.path.hasSuffix("StyleTests.swift") {
        #expect(!file.text.contains("umask("), "\(file.path)")
    }
}

/// State of a loop is confined by `LoopConfined`, state of several threads by `Mutex` or `Atomic`: the compiler checks those.
@Test func uncheckedSendables_areFew_andGiveTheirProofInTheSameLine() {
    let most = 10
    var found: [String] = []
    for file in Repository.swiftFiles(below: "Sources") + Repository.swiftFiles(below: Repository.verification) {
        for (number, line) in file.lines.enumerated()
        where line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)") {
            let place = "\(file.path):\(number + 1)"
            found.append(place)
            let comment = line.firstRange(of: "// ").map { line[$0.upperBound...] } ?? ""
            #expect(comment.split(separator: " ").count >= 5, "\(place) gives no proof in its line")
        }
    }
    #expect(found.count <= most, "\(found)")
}

@Test func whatIsNotCheckedForExclusiveAccess_isSoForAReasonThatIsGiven() {
    for file in Repository.swiftFiles(below: "Sources") where file.text.contains("@exclusivity(unchecked)") {
        #expect(file.lines.contains { $0.contains("//") && $0.contains("exclusive access") }, "\(file.path)")
    }
}

/// A reference that traps once its object is gone is for one thread's use alone: what a loop still does, while another thread lets go of
/// what it works for, must find nobody instead.
@Test func nothingThatALoopMayStillCall_isReferredToUnowned() {
    let onLoops = [
        "Sockets", "Bots", "Referee", "LoadGenerator", "ClientCore", "ServerCore/Operations", "Journal",
    ].map { "Sources/\($0)" }
    let tests = ["Sockets", "Bots", "EndToEnd", "ClientCore", "Operations", "ServerProgram", "TerminalUI"].map {
        "Tests/\($0)Tests"
    }
    for file in (onLoops + tests + ["Tests/TestKit"]).flatMap(Repository.swiftFiles) {
        #expect(!file.text.contains("unowned "), "\(file.path)")
    }
}

/// Each of these makes a static program 44 MB larger: Core Foundation and ICU's tables. `.ci/static` checks the sizes.
@Test func nothingThatDragsInCoreFoundationIsUsed() throws {
    let heavy = try Regex(
        "String\\(format:|DateFormatter|NSError|localizedDescription|JSONSerialization|[^a-zA-Z]Thread[ .(]|RunLoop|[^a-zA-Z.]Bundle\\."
            + "|[^a-zA-Z]Process\\(\\)|components\\(separatedBy|trimmingCharacters|CharacterSet")
    let parts = [
        "String(format:", "Formatter", "NSError", "localizedDescription", "JSONSerialization", "Thread", "RunLoop", "Bundle.",
        "Process()", "components(separatedBy", "trimmingCharacters", "CharacterSet",
    ]
    for file in Repository.swiftFiles(below: "Sources") where file.mentions(parts) {
        for (index, line) in file.lines.enumerated()
        where parts.contains(where: { line.contains($0) }) && !line.drop(while: { $0 == " " }).hasPrefix("//") {
            #expect(line.firstMatch(of: heavy) == nil, "\(file.path):\(index + 1)")
        }
    }
}
