import Foundation
import Testing

private let files = Repository.swiftFiles(below: "Sources") + Repository.swiftFiles(below: "Tests")

/// A function's length is taken from its brace to the brace that closes it at the same indentation, which the formatter guarantees.
@Test func noFunctionIsLongerThanSeventyLines() {
    for file in files {
        var open: [(indent: Int, line: Int)] = []
        for (number, line) in file.lines.enumerated() {
            let indent = line.prefix { $0 == " " }.count
            let text = line.dropFirst(indent)
            if text.hasPrefix("}"), let last = open.last, last.indent == indent {
                open.removeLast()
                #expect(number - last.line <= 70, "\(file.path):\(last.line + 1)")
            }
            let isFunction = text.contains("func ") || text.contains("init(") || text.contains("init?(")
            if isFunction, text.hasSuffix("{"), !text.hasPrefix("//") { open.append((indent, number)) }
        }
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
        #expect(file.text.firstMatch(of: sleep) == nil, "\(file.path)")
    }
}

/// A test that waits for another thread or a program has a deadline of `Deadline`, which names it: nothing else ends a blocked thread.
@Test func whatATestWaitsFor_hasADeadline() throws {
    let waits = try Regex(
        "DispatchSemaphore|DispatchGroup|with(Checked|Unsafe)(Throwing)?Continuation|\\n *for await|[^a-zA-Z]Process\\(\\)")
    for file in Repository.tests where !file.path.hasSuffix("StyleTests.swift") {
        #expect(!file.text.contains("rocess.run()") || file.path.hasSuffix("TestKit/Deadline.swift"), "\(file.path): start()")
        guard file.text.contains("@Test"), file.text.firstMatch(of: waits) != nil else { continue }
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
    for file in Repository.swiftFiles(below: "Sources") {
        for (index, line) in file.lines.enumerated() where !line.drop(while: { $0 == " " }).hasPrefix("//") {
            #expect(line.firstMatch(of: heavy) == nil, "\(file.path):\(index + 1)")
        }
    }
}
