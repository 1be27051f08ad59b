import CommandLineKit
import Foundation
import TestKit
import Testing

/// The completions, asked of the shells themselves; a shell that is not installed is left out.
@Suite(.ownThread) struct ShellTests {
    /// Words typed so far, the last of which is being completed, and what must and must not be offered.
    struct Case: Sendable, CustomTestStringConvertible {
        var words: [String]
        var offered: Set<String>
        var withheld: Set<String> = []
        var testDescription: String { words.joined(separator: " ") }
    }

    static let cases = [
        Case(words: [""], offered: ["rules", "play", "ctl"], withheld: ["tables"]),
        Case(
            words: ["--"], offered: ["--listen", "--no-color", "--help", "--version"],
            withheld: ["--json", "--server"]),
        Case(words: ["--bots", "3", "p"], offered: ["play"]),
        Case(words: ["--table", "play", "--"], offered: ["--listen"], withheld: ["--json"]),
        Case(words: ["play", "--"], offered: ["--bots", "--json"], withheld: ["--listen", "--version"]),
        Case(words: ["ctl", ""], offered: ["tables", "drain"], withheld: ["rules"]),
        Case(words: ["ctl", "tables", "--"], offered: ["--server"], withheld: ["--listen"]),
        Case(words: ["--log", ""], offered: ["debug", "info", "error"], withheld: ["rules", "--log"]),
        Case(words: ["--rules", "e"], offered: ["european"], withheld: ["--rules"]),
        Case(words: ["rules", ""], offered: ["vegas", "european"], withheld: ["play"]),
        Case(words: ["--listen", ""], offered: [], withheld: ["rules", "debug"]),
    ]

    @Test(.enabled(if: find("bash") != nil), arguments: cases)
    func bash_offersWhatFits(wanted: Case) throws {
        let words = (["bjsample"] + wanted.words).map { "'\($0)'" }.joined(separator: " ")
        let call = "COMP_WORDS=(\(words)); COMP_CWORD=\(wanted.words.count); _bjsample; printf '%s\\n' \"${COMPREPLY[@]}\""
        try check(wanted, "bash", ["--norc", "-c"], Sample.command.completions(for: .bash) + call)
    }

    @Test(.enabled(if: find("bash") != nil))
    func bash_offersValues_afterAnEqualsSign() throws {
        for words in [["--log", "="], ["--log", "=", "in"]] {
            let wanted = Case(words: words, offered: ["info"], withheld: ["rules"])
            try bash_offersWhatFits(wanted: wanted)
        }
    }

    @Test(.enabled(if: find("bash") != nil))
    func bash_offersNamesOfFilesAsTheyAre() throws {
        let folder = ScratchFolder()
        for name in ["data[1].json", "data1.json", "data *"] { try folder.file(name, "") }
        let call =
            "cd '\(folder.path)'; COMP_WORDS=(bjsample --rules da); COMP_CWORD=2; _bjsample; printf '%s\\n' \"${COMPREPLY[@]}\""
        let wanted = Case(words: [], offered: ["data[1].json", "data1.json", "data *"])
        let script = Sample.command.completions(for: .bash) + call
        try withExtendedLifetime(folder) { try check(wanted, "bash", ["--norc", "-c"], script) }
    }

    /// zsh's completion system runs only at a prompt, so its functions are replaced by ones that print what they are given.
    @Test(.enabled(if: find("zsh") != nil), arguments: cases)
    func zsh_offersWhatFits(wanted: Case) throws {
        let words = (["bjsample"] + wanted.words).map { "'\($0)'" }.joined(separator: " ")
        let stubs = """
            compdef() { }
            compset() { }
            compadd() { print -l -- ${(P)2} }
            _files() { print FILES }
            _describe() { print -l -- ${${(P)@[-1]}%%:*} }

            """
        try check(
            wanted, "zsh", ["-f", "-c"],
            stubs + Sample.command.completions(for: .zsh) + "words=(\(words)); CURRENT=\(wanted.words.count + 1); _bjsample")
    }

    @Test(.enabled(if: find("zsh") != nil))
    func zsh_offersValues_afterAnEqualsSign() throws {
        try zsh_offersWhatFits(wanted: Case(words: ["--log=in"], offered: ["info"], withheld: ["rules", "--log"]))
    }

    @Test(.enabled(if: find("fish") != nil), arguments: cases)
    func fish_offersWhatFits(wanted: Case) throws {
        let line = (["bjsample"] + wanted.words).joined(separator: " ")
        try check(
            wanted, "fish", ["--no-config", "-c"],
            Sample.command.completions(for: .fish) + "complete -C '\(line)' | string split -f1 \\t")
    }

    private func check(_ wanted: Case, _ shell: String, _ options: [String], _ script: String) throws {
        let ending = try Tool.run(
            try #require(Self.find(shell)), options + [script],
            environment: ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C"])
        let offers = Set(ending.output.split(separator: "\n").map(String.init))
        // fish may complain of a home that it can't write to.
        #expect(ending.errors.isEmpty || shell == "fish")
        #expect(offers.isSuperset(of: wanted.offered), "offered: \(offers.sorted())")
        #expect(offers.isDisjoint(with: wanted.withheld), "offered: \(offers.sorted())")
    }

    static func find(_ shell: String) -> String? {
        ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/\(shell)" }
            .first(where: FileManager.default.isExecutableFile(atPath:))
    }
}
