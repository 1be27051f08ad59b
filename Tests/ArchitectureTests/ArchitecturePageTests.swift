import Foundation
import TestKit
import Testing

/// ARCHITECTURE.md and CONTRIBUTING.md name files, functions and modules that exist.
struct ArchitecturePageTests {
    private func hops(_ name: String) throws -> [(file: String, function: String)] {
        let page = try Repository.text("ARCHITECTURE.md")
        let start = try #require(page.range(of: "<!-- \(name) -->")).upperBound
        let end = try #require(page.range(of: "<!-- /\(name) -->")).lowerBound
        let lines = page[start..<end].split(separator: "\n")
        return try lines.map { line in
            let match = try #require(line.firstMatch(of: #/^\d+\. `([^:`]+): (\w+)` – /#), "\(line)")
            return (String(match.output.1), String(match.output.2))
        }
    }

    @Test(arguments: [("server path", 16), ("client path", 7)])
    func eachHopIsAFunctionThatExists_andThereAreFew(_ path: String, _ most: Int) throws {
        let hops = try hops(path)
        #expect((3...most).contains(hops.count))
        for (file, function) in hops {
            let text = try Repository.text(file)
            #expect(text.contains("func \(function)(") || text.contains("func \(function)<"), "\(file): \(function)")
        }
    }

    /// Directly, or by functions of the files on the path.
    @Test func eachHopOfABet_isCalledByOneBeforeIt() throws {
        let hops = try hops("server path")
        let calls = Dictionary(
            try Set(hops.map(\.file)).flatMap { try functions(in: Repository.text($0)) }, uniquingKeysWith: { $0.union($1) })
        var reached: Set<Substring> = [Substring(hops[0].function)]
        for hop in hops {
            #expect(reached.contains(Substring(hop.function)), "\(hop.file): \(hop.function)")
            var open = [Substring(hop.function)]
            while let name = open.popLast() {
                let new = (calls[name] ?? []).subtracting(reached)
                reached.formUnion(new)
                open += new
            }
        }
    }

    /// By the name of each function, the names behind which its text has a parenthesis.
    private func functions(in text: String) throws -> [(Substring, Set<Substring>)] {
        var functions: [(Substring, Set<Substring>)] = []
        var indentation: Substring?
        for line in text.split(separator: "\n") {
            let start = line.prefix { $0 == " " }
            if let match = line.firstMatch(of: #/^ *[^/]*\bfunc (\w+)/#) {
                functions.append((match.output.1, []))
                indentation = start
            }
            guard let open = indentation else { continue }
            let isHead = line.contains("func \(functions[functions.count - 1].0)")
            let body = isHead ? line.split(separator: "{", maxSplits: 1).dropFirst().last ?? "" : line
            functions[functions.count - 1].1.formUnion(body.matches(of: #/(\w+)(?:\(| \{)/#).map(\.output.1))
            if line == open + "}" || isHead && line.hasSuffix("}") { indentation = nil }
        }
        return functions
    }

    @Test func theClientsChain_hasTheOperatorsThatItsPageNames_inThisOrder() throws {
        let words = try Repository.text("Sources/ClientCore/ClientCore.docc/ClientCore.md").split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
        let sentence = try #require(words.firstMatch(of: #/The client is one chain of operators: ([^.]+)\./#)).output.1
        let names = sentence.matches(of: #/`(\w+)`/#).map(\.output.1)
        let source = try Repository.text("Sources/ClientCore/GameClient.swift")
        let chain = try #require(source.firstMatch(of: #/chain = connections[^\n]*(?:\n +\.[^\n]*)+/#)).output
        #expect(names.count >= 4)
        #expect(chain.matches(of: #/\n +\.(\w+)/#).map(\.output.1) == names)
    }

    @Test func theTableOfModules_hasEveryTargetOfSources() throws {
        let page = try Repository.text("ARCHITECTURE.md")
        for target in Repository.folders(in: "Sources") + Repository.folders(in: Repository.verification) {
            #expect(page.contains("`\(target)`"), "\(target)")
        }
    }

    /// Its order is that of imports, in each row from left to right.
    @Test func theTableOfModules_listsAModuleBehindThoseThatItImports() throws {
        let page = try Repository.text("ARCHITECTURE.md")
        let rows = page.split(separator: "## Modules")[1].split(separator: "## Threads")[0].matches(of: #/\n\|([^|]+)\|/#)
        let modules = rows.flatMap { $0.1.matches(of: #/`(\w+)`/#).map { String($0.1) } }
        #expect(modules.count > 20)
        for (index, module) in modules.enumerated() {
            let lines = Repository.swiftFiles(below: Repository.home(of: module)).flatMap(\.lines).filter {
                $0.contains("import ")
            }
            let imports = Set(
                lines.compactMap { $0.firstMatch(of: #/^ *(?:@testable |package )?import (\w+)/#).map { String($0.1) } })
            let later = imports.intersection(modules[index...])
            #expect(later.isEmpty, "\(module): \(later.sorted())")
        }
    }

    /// Queues and named threads of server and client.
    @Test func theTableOfThreads_hasEveryQueue() throws {
        let modules = ["Sockets", "Journal", "ServerCore", "bjserver", "ClientCore", "TerminalUI"]
        let text = modules.flatMap { Repository.swiftFiles(below: "Sources/\($0)") }.map(\.text).joined()
        let names = Set(text.matches(of: #/(?:label|name): "((?:bj|journal)\.[\w.]+)"/#).map(\.1))
        // Of commands: 'audit' and 'healthcheck'.
        let queues = names.subtracting(["journal.decode", "bj.health"])
        let page = try Repository.text("ARCHITECTURE.md").matches(of: #/`((?:bj|journal)\.[\w.]+)`/#).map(\.1)
        #expect(Set(page) == queues)
    }

    private static let modulesWithPages = Set(
        Repository.files(below: "Sources", suffix: ".md").map { String($0.path.split(separator: "/")[1]) }
            + Repository.files(below: Repository.verification, suffix: ".md").map { String($0.path.split(separator: "/")[2]) }
    ).sorted()

    private func words(of files: [Repository.SourceFile]) -> Set<Substring> {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        return Set(files.flatMap { ($0.path + $0.text).utf8.split { !letters.contains($0 | 0x20) }.map { Substring($0) } })
    }

    /// Symbols that the pages of modules link: `` ``Table/perform(_:at:into:)`` ``.
    @Test(arguments: modulesWithPages)
    func everySymbolThatAModulesPageLinks_isInTheModule(_ module: String) {
        let words = words(of: Repository.swiftFiles(below: Repository.home(of: module)))
        for page in Repository.files(below: Repository.home(of: module), suffix: ".md") {
            for link in page.text.matches(of: /[^`]``([A-Za-z\/]+)[^`\n]*``/) {
                for name in link.1.split(separator: "/") where name != module {
                    let isThere = words.contains(name)
                    #expect(isThere, "\(page.path): \(link.0)")
                }
            }
        }
    }

    /// Names in code marks with a capital inside, such as `carryOut`.
    @Test(arguments: ["ARCHITECTURE.md", "CONTRIBUTING.md"])
    func everyNameOfTheCode_isInIt(_ page: String) throws {
        let words = words(of: Repository.swiftFiles(below: "Sources") + Repository.swiftFiles(below: "Tests"))
        for name in try Repository.text(page).matches(of: #/`(?:\w+\.)?([A-Za-z]+[a-z][A-Z][A-Za-z]*)`/#).map(\.1) {
            let isThere = words.contains(name)
            #expect(isThere, "\(page): \(name)")
        }
    }

    /// Paths, and names of files of Swift, in code marks.
    @Test(arguments: [("ARCHITECTURE.md", 20), ("CONTRIBUTING.md", 40)])
    func everyFileThatAPageNames_exists(_ page: String, _ least: Int) throws {
        let names = try Repository.text(page).matches(of: #/`((?:Sources|Tests|\.ci)\/[\w\/+.]+|[\w+]+\.swift)[`: ]/#).map(
            \.output.1)
        #expect(names.count >= least)
        let files = (Repository.swiftFiles(below: "Sources") + Repository.swiftFiles(below: "Tests")).map(\.path)
        for name in names {
            let isThere = name.contains("/") && FileManager.default.fileExists(atPath: Repository.root.appending(path: name).path)
            #expect(isThere || files.contains { $0.hasSuffix("/\(name)") }, "\(name)")
        }
    }
}
