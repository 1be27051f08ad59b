import Foundation
import TestKit
import Testing
import Wire

@testable import ClientCore

private let (house, server) = ("00000000000000aa", "example.org:2121")

struct AccountFileTests {
    private let scratch = ScratchFolder(isMade: false)
    private let file: AccountFile

    init() { file = AccountFile(folder: scratch.path + "/config/bjclient") }

    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test func aSecretIsMadeOnce_forEachHouseServerAndName() throws {
        #expect(try file.account(of: "ann", house: house, server: server)?.secret == nil)
        let secret = try file.make("ann", house: house, server: server)
        #expect(try file.make("ann", house: house, server: server) == secret)
        #expect(try file.use("ANN", house: house, server: server) == secret, "names that differ in case are the same")
        // Another address gets no secret, whatever house it says it is.
        #expect(try file.account(of: "ann", house: house, server: "example.com:2121")?.secret == nil)
        #expect(try file.account(of: "ann", house: "00000000000000bb", server: server)?.secret == nil)
        #expect(try file.make("bob", house: house, server: server) != secret)
        #expect(try AccountFile(folder: file.folder).accounts().count == 2, "it is on the disk")
    }

    @Test func theFilesAreTheUsersAlone() throws {
        _ = try file.make("ann", house: house, server: server)
        #expect(try mode(file.folder) == 0o700 && mode(file.path) == 0o600)
        #expect(try mode(file.folder + "/accounts.lock") == 0o600)
        #expect(try scratch.names(in: "config/bjclient") == ["accounts.json", "accounts.lock"], "nothing else is left")
    }

    @Test func aCrashBeforeTheRename_leavesTheOldAccounts_andNoTrace() throws {
        let secret = try file.make("ann", house: house, server: server)
        let rest = file.path + ".new"
        try Data("{\"accounts\":[{\"na".utf8).write(to: URL(filePath: rest))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: rest)
        #expect(try file.account(of: "ann", house: house, server: server)?.secret == secret)
        _ = try file.make("bob", house: house, server: server)
        #expect(try file.accounts().map(\.name).sorted() == ["ann", "bob"] && mode(file.path) == 0o600)
        #expect(!FileManager.default.fileExists(atPath: rest))
    }

    /// As those who keep their dotfiles elsewhere have it.
    @Test(arguments: [false, true]) func aSymbolicLink_staysOne_andTheFileThatItNamesIsWritten(_ dangles: Bool) throws {
        let target = try scratch.file("dotfiles/first.json", #"{"accounts":[]}"#)
        if dangles { try FileManager.default.removeItem(atPath: target) }
        try FileManager.default.createDirectory(atPath: file.folder, withIntermediateDirectories: true)
        for (path, destination) in [(file.path, "../../dotfiles/link"), (scratch.path + "/dotfiles/link", target)] {
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: destination)
        }
        let secret = try file.make("ann", house: house, server: server)
        #expect(try file.account(of: "ann", house: house, server: server)?.secret == secret && mode(target) == 0o600)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file.path) == "../../dotfiles/link")
        #expect(try scratch.names(in: "dotfiles") == ["first.json", "link"])
    }

    @Test(arguments: [
        "", "{", "[]", #"{"accounts":[{"name":"ann"}]}"#,
        #"{"accounts":[{"house":"a","server":"b","name":"ann","secret":"5e"}]}"#,
    ])
    func aDamagedFile_isRefusedWithItsPath_andNeverOverwritten(_ text: String) throws {
        _ = try file.make("ann", house: house, server: server)
        try Data(text.utf8).write(to: URL(filePath: file.path))
        let checked = #expect(throws: AccountFile.Failure.self) { try file.check() }
        let made = #expect(throws: AccountFile.Failure.self) { try file.make("bob", house: house, server: server) }
        for failure in [checked, made] { #expect(failure?.description.hasPrefix("\(file.path) is damaged") == true) }
        #expect(try String(contentsOfFile: file.path, encoding: .utf8) == text)
    }

    /// A full file: accounts that were played elsewhere, and the ones given.
    private func fill(_ file: AccountFile, with others: [(name: String, server: String, played: Int)]) throws {
        func line(_ name: String, _ server: String, _ used: Int, _ played: Int) -> String {
            let digits = String(repeating: "5e", count: 32)
            return
                #"{"house":"\#(house)","server":"\#(server)","name":"\#(name)","secret":"\#(digits)","used":\#(used),"played":\#(played)}"#
        }
        var lines = (1...AccountFile.limit - others.count).map { line("p\($0)", "elsewhere:1", $0, $0) }
        lines += others.map { line($0.name, $0.server, 5000, $0.played) }
        _ = try file.make("first", house: house, server: server)
        try Data("{\"accounts\":[\(lines.joined(separator: ","))]}".utf8).write(to: URL(filePath: file.path))
    }

    /// A server that has accounts made drops its own, never those that were played elsewhere.
    @Test func atTheLimit_anUnplayedAccountGoes_ofTheSameAddressFirst_andOnePlayedElsewhereNever() throws {
        try fill(file, with: [("other", "other:1", 0), ("mine", server, 9), ("fresh", server, 0)])
        for (name, gone) in [("ann", "fresh"), ("bob", "ann"), ("zoe", "bob")] {
            _ = try file.make(name, house: house, server: server)
            let names = try file.accounts().map(\.name)
            #expect(names.count == AccountFile.limit && names.contains(name) && !names.contains(gone))
        }
        file.played("zoe", house: house, server: server)
        _ = try file.make("dan", house: house, server: server)
        #expect(try !file.accounts().map(\.name).contains("other"), "one that was never played, of another address")
        file.played("dan", house: house, server: server)
        _ = try file.make("eve", house: house, server: server)
        #expect(try !file.accounts().map(\.name).contains("mine"), "the longest unused of this address")
        #expect(throws: AccountFile.Failure(description: "1000 accounts are stored, all of them played at other servers")) {
            for name in ["eve", "fay"] {
                file.played(name, house: house, server: "new:1")
                _ = try file.make(name, house: house, server: "new:\(name)")
                file.played(name, house: house, server: "new:\(name)")
                file.played("eve", house: house, server: server)
            }
        }
        let names = try file.accounts().map(\.name)
        #expect((1...997).allSatisfy { names.contains("p\($0)") })
    }

    @Test func onlyANameThatWasPlayedUnder_isOfferedAgain() throws {
        _ = try file.make("ann", house: house, server: server)
        #expect(
            file.lastName(server: server) == "ann" && file.lastName(server: "other:1") == nil, "the only one here, played or not")
        file.played("ann", house: house, server: server)
        let bob = try file.make("bob", house: house, server: server)
        _ = try file.use("bob", house: house, server: server)
        #expect(file.lastName(server: server) == "ann", "bob has seen no table")
        file.forget(bob)
        #expect(try file.accounts().map(\.name) == ["ann"])
    }

    @Test func aFileOfAnEarlierRelease_hasNamesToOffer() throws {
        _ = try file.make("first", house: house, server: server)
        let digits = String(repeating: "5e", count: 32)
        let old = #"{"accounts":[{"house":"\#(house)","server":"\#(server)","name":"zoe","secret":"\#(digits)","used":7}]}"#
        try Data(old.utf8).write(to: URL(filePath: file.path))
        #expect(file.lastName(server: server) == "zoe")
    }

    @Test func anAccountIsCopiedToASecondDevice_asALine() throws {
        let other = AccountFile(folder: scratch.path + "/other")
        let secret = try file.make("Øl-än", house: house, server: server)
        let line = try #require(try file.accounts().first?.exported)
        #expect(!line.contains("\n"))
        var copy = try #require(StoredAccount(exported: line + "\n"))
        #expect(try other.store(copy) && other.store(copy), "twice is once")
        #expect(try other.account(of: "øl-än", house: house, server: server)?.secret == secret)
        copy.secret = annsSecret
        #expect(try !other.store(copy) && other.account(of: "Øl-än", house: house, server: server)?.secret == secret)
        #expect(
            try other.store(copy, isReplacing: true)
                && other.account(of: "Øl-än", house: house, server: server)?.secret == annsSecret)
        #expect(StoredAccount(exported: "{}") == nil && StoredAccount(exported: line.replacing(secret.digits, with: "5e")) == nil)
    }

    @Test func theFolderIsTheUsersForConfiguration() {
        func folder(_ environment: [String: String]) -> String? { AccountFile(environment: environment)?.folder }
        #expect(folder(["XDG_CONFIG_HOME": "/c", "HOME": "/h"]) == "/c/bjclient")
        #expect(folder(["XDG_CONFIG_HOME": "relative", "HOME": "/h"]) == "/h/.config/bjclient")
        #expect(folder(["HOME": "/h"]) == "/h/.config/bjclient" && folder([:]) == nil && folder(["HOME": ""]) == nil)
    }

    @Test func aFolderThatCannotBeMade_isFoundAtTheStart_withItsNameAndReason() throws {
        #expect(FileManager.default.createFile(atPath: scratch.path, contents: nil))
        let checked = #expect(throws: AccountFile.Failure.self) { try file.check() }
        let made = #expect(throws: AccountFile.Failure.self) { try file.make("ann", house: house, server: server) }
        for failure in [checked, made] {
            let text = failure?.description ?? ""
            #expect(text.contains("Not a directory") && text.contains(scratch.path))
        }
    }
}
