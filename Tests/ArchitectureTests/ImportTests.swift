import Foundation
import TestKit
import Testing

/// The table of modules: which of our modules each may import. SwiftPM does not refuse an import of a transitive target.
private let allowed: [String: Set<String>] = [
    "CSystem": [], "Rules": [], "Snapshots": [], "EventStreams": [], "Fairness": [], "Journal": [],
    "CommandLineKit": ["CSystem"], "Sockets": ["CSystem"],
    // What tests share, in Tests: no target but theirs may depend on it.
    "TestKit": ["Rules", "Journal", "StorageDoubles", "TableEngine"],
    "TableModel": ["Rules", "Snapshots", "Fairness"],
    "TableEngine": ["Rules", "TableModel", "Fairness"],
    "Wire": ["Rules", "TableModel", "Fairness"],
    "Payouts": ["Rules", "TableModel"],
    "Records": ["Rules", "TableModel", "TableEngine", "Fairness", "Wire", "Payouts"],
    "Odds": ["Rules"],
    "RoundSimulation": ["Odds", "Rules", "TableEngine"],
    "ServerCore": [
        "TableEngine", "Wire", "Sockets", "Journal", "Records", "Odds", "Rules", "TableModel", "Fairness",
    ],
    "Postgres": ["ServerCore", "Sockets", "Journal", "Wire", "TableEngine", "Fairness"],
    "ClientCore": ["Wire", "TableModel", "EventStreams", "Sockets", "CommandLineKit", "Fairness", "Rules"],
    "TerminalUI": [
        "ClientCore", "Wire", "TableModel", "Snapshots", "EventStreams", "Sockets", "CommandLineKit", "Fairness", "Rules",
    ],
    // Judges from bytes: no socket, and not the engine whose tables it judges.
    "Referee": ["Wire", "TableModel", "Rules", "Payouts"],
    "Bots": ["ClientCore", "EventStreams", "Sockets", "Wire", "TableModel", "Odds", "Rules"],
    "LoadGenerator": [
        "Bots", "Referee", "ClientCore", "CommandLineKit", "Sockets", "Wire", "TableModel", "Rules",
    ],
    "bjserver": [
        "ServerCore", "Bots", "CommandLineKit", "Journal", "Odds", "Postgres", "Records", "Rules", "Sockets", "Wire",
    ],
    "bjclient": [
        "TerminalUI", "ClientCore", "ServerCore", "Bots", "CommandLineKit", "Journal", "Rules", "Sockets", "Wire",
    ],
    "bjbots": [
        "Bots", "LoadGenerator", "CommandLineKit", "Odds", "RoundSimulation", "Rules", "Sockets", "Wire",
    ],
    // Targets that verify the product: nothing in `Sources` imports it.
    "StorageDoubles": ["Journal"],
    "RecoveryJudge": ["Referee", "Wire", "TableModel", "Fairness", "Rules"],
    "CrashRuns": [
        "RecoveryJudge", "LoadGenerator", "Bots", "ClientCore", "CommandLineKit", "Sockets", "Wire", "TableModel", "Rules",
    ],
    "SystemSimulation": [
        "ServerCore", "CrashRuns", "LoadGenerator", "ClientCore", "RecoveryJudge", "Journal", "StorageDoubles", "Sockets", "Wire",
        "TableModel", "TableEngine", "Records", "Fairness", "Rules",
    ],
    "bjverify": ["CrashRuns", "SystemSimulation", "CommandLineKit", "Sockets", "Wire"],
    "CBenchmarks": [],
    "bjbench": [
        "Snapshots", "EventStreams", "TableEngine", "TableModel", "Wire", "ServerCore", "Odds", "Rules", "CommandLineKit",
        "CBenchmarks", "Sockets", "Journal", "Records", "Fairness",
    ],
]

/// Modules that do no input or output, read no clock and draw no chance of their own.
private let pure = [
    "Rules", "Snapshots", "EventStreams", "Fairness", "TableModel", "TableEngine", "Wire", "ClientCore/Session",
    "Payouts", "Records", "Odds", "RoundSimulation",
]

private let toolchain: Set<String> = ["Foundation", "Dispatch", "Glibc", "Darwin", "Synchronization"]

private let verifying = Repository.folders(in: Repository.verification)
private let targets = Repository.folders(in: "Sources") + verifying

private func imports(of target: String, in folder: String? = nil) -> [(file: String, module: String)] {
    Repository.swiftFiles(below: folder ?? Repository.home(of: target)).flatMap { file in
        file.lines.compactMap { line in
            guard line.contains("import ") else { return nil }
            let words = line.split(separator: " ")
            guard let keyword = words.firstIndex(of: "import"),
                words[..<keyword].allSatisfy({ $0.hasPrefix("@") || $0 == "public" }),
                keyword + 1 < words.count
            else { return nil }
            return (file.path, String(words[keyword + 1]))
        }
    }
}

@Test(arguments: targets)
func aTargetImportsOnlyWhatTheTableOfModulesAllows(_ target: String) throws {
    let mayImport = try #require(allowed[target], "the table of modules does not know \(target)")
    for (file, module) in imports(of: target) where !mayImport.contains(module) {
        #expect(toolchain.contains(module), "\(file) imports \(module)")
    }
}

@Test(arguments: Repository.folders(in: "Sources"))
func whatShips_importsNothingThatVerifiesIt(_ target: String) {
    #expect(allowed[target]?.intersection(verifying) == [])
}

@Test(arguments: pure)
func aPureModuleImportsNoFoundationAndNoSystem(_ target: String) {
    for (file, module) in imports(of: target) {
        #expect(!["Foundation", "Glibc", "Darwin"].contains(module), "\(file) imports \(module)")
        // Event streams hand values over to queues, and rounds are simulated on all processors; nothing else pure knows of any.
        if !["EventStreams", "RoundSimulation"].contains(target) { #expect(module != "Dispatch", "\(file) imports \(module)") }
    }
}

@Test func thePackageDeclaresNoDependency() throws {
    let manifest = try Repository.text("Package.swift")
    #expect(!manifest.contains(".package("))
}

/// A referee takes cards and settings from `Rules`, and judges by itself. So does an audit: a fault of the engine would be in both.
@Test func whoJudges_usesNoJudgementOfTheRules() throws {
    let judgements = try Regex(
        "HandValue|HandSituation|HandEnd|FinishedHand|rules\\.settle|legalActions|Amounts\\(|(insurance|surrender)Return|dealerDraws\\(to"
    )
    let judges = ["Sources/Payouts", "Sources/Referee", "Sources/Records"].flatMap(Repository.swiftFiles).filter {
        !$0.path.hasPrefix("Sources/Records") || $0.path.hasSuffix("RoundCheck.swift")
    }
    #expect(judges.count > 5)
    for file in judges { #expect(file.text.firstMatch(of: judgements) == nil, "\(file.path)") }
}

private func declared(by target: String) throws -> Set<String> {
    let manifest = try Repository.text("Package.swift")
    // From the target's name to the end of its declaration: a line that closes it, or the line itself.
    let pattern = try Regex("arget\\(\\s*name: \"\(target)\"([^()]|\\([^()]*\\))*\\)")
    let declaration = try #require(manifest.firstMatch(of: pattern), "the package does not declare \(target)").output[0].substring
    let list = declaration?.firstMatch(of: /dependencies: \[([^\]]*)\]/)?.output.1 ?? ""
    return Set(list.matches(of: /"(\w+)"/).map { String($0.output.1) })
}

/// A dependency that nothing imports costs a build for nothing and says what is not so.
@Test(arguments: targets)
func aTargetDeclaresExactlyWhatItImports(_ target: String) throws {
    let declared = try declared(by: target)
    let imported = Set(imports(of: target).map(\.module)).subtracting(toolchain)
    #expect(declared.subtracting(imported) == [], "declared and not imported")
    #expect(imported.subtracting(declared) == [], "imported and not declared")
    #expect(allowed[target] == declared, "not what the table of modules says")
}

@Test func theTableOfModulesOnThePage_hasImportsAboveTheirModules() throws {
    let rows = try Repository.text("ARCHITECTURE.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
    func row(_ module: String) -> Int? { rows.firstIndex { $0.contains("`\(module)`") } }
    for (module, imports) in allowed where module != "TestKit" {
        for name in imports { #expect(try #require(row(name)) <= #require(row(module)), "\(module) imports \(name)") }
    }
}

/// Without its declaration a module is found only where it happens to be built before.
@Test(arguments: Repository.folders(in: "Tests").filter { $0.hasSuffix("Tests") })
func aTestTargetDeclaresWhatItImports(_ target: String) throws {
    let imported = Set(imports(of: target, in: "Tests/\(target)").map(\.module)).filter { allowed[$0] != nil }
    #expect(try imported.subtracting(declared(by: target)) == [])
}

@Test func everyTargetWithSourcesHasADocumentationPage() {
    for target in targets
    where !target.hasPrefix("bj") && !["CSystem", "CBenchmarks", "StorageDoubles"].contains(target) {
        let page = "\(Repository.home(of: target))/\(target).docc/\(target).md"
        #expect((try? Repository.text(page).hasPrefix("# ``\(target)``")) == true, "\(page)")
    }
}

@Test func noTypeBearsItsModulesName() throws {
    for target in targets {
        let pattern = try Regex("(struct|class|enum|actor|protocol|typealias) \(target)\\b")
        for file in Repository.swiftFiles(below: Repository.home(of: target)) {
            for line in file.lines where line.contains(target) { #expect(line.firstMatch(of: pattern) == nil, "\(file.path)") }
        }
    }
}
