import Foundation
import Testing

/// The table of modules: which of our modules each may import. SwiftPM does not refuse an import of a transitive target.
private let allowed: [String: Set<String>] = [
    "CAllocationCount": [], "Rules": [], "Snapshots": [], "EventStreams": [], "Fairness": [], "Journal": [], "CArguments": [],
    "CommandLineKit": ["CArguments"], "CSockets": [], "CFloor": [], "EventStreamsFoundation": ["EventStreams"],
    // What tests share, in Tests: no target but theirs may depend on it.
    "TestKit": ["Rules"],
    "TableModel": ["Rules", "Snapshots"],
    "TableEngine": ["Rules", "TableModel", "Fairness"],
    "Wire": ["Rules", "TableModel", "Snapshots"],
    "WireLaws": ["Wire", "TableModel"],
    "Simulation": ["Rules", "TableEngine"],
    "Sockets": ["CSockets"],
    "Operations": ["Sockets"],
    "ServerCore": ["TableEngine", "Wire", "Sockets", "Journal", "Rules", "TableModel", "Snapshots", "Fairness", "Operations"],
    "ClientCore": ["Wire", "TableModel", "Snapshots", "EventStreams", "Sockets", "Fairness", "Rules"],
    "TerminalUI": ["ClientCore", "Wire", "TableModel", "Snapshots", "EventStreams", "Sockets", "Fairness", "Rules"],
    "Bots": [
        "ClientCore", "Wire", "TableModel", "Snapshots", "EventStreams", "Sockets", "Fairness", "Rules", "TableEngine",
    ],
    "bjserver": ["ServerCore", "Operations", "Bots", "CommandLineKit", "Rules", "Sockets", "Simulation", "Wire"],
    "bjclient": ["TerminalUI", "ClientCore", "ServerCore", "Bots", "CommandLineKit", "Rules", "Sockets", "EventStreams", "Wire"],
    "bjfuzz": ["WireLaws"],
    "bjbots": ["Bots", "CommandLineKit", "Rules", "Sockets", "Simulation", "ServerCore"],
    "bjbench": [
        "Rules", "Snapshots", "EventStreams", "Fairness", "TableModel", "TableEngine", "Wire", "Sockets", "ServerCore",
        "ClientCore", "Bots", "CommandLineKit", "CAllocationCount", "CFloor", "Operations",
    ],
]

/// Modules that do no input or output, read no clock and draw no chance of their own.
private let pure = ["Rules", "Snapshots", "EventStreams", "Fairness", "TableModel", "TableEngine", "Wire", "WireLaws"]

private let toolchain: Set<String> = ["Foundation", "FoundationNetworking", "Dispatch", "Glibc", "Darwin", "Synchronization"]

private let targets: [String] = {
    let folder = Repository.root.appending(path: "Sources")
    return (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.sorted() ?? []
}()

private func imports(of target: String) -> [(file: String, module: String)] {
    Repository.swiftFiles(below: "Sources/\(target)").flatMap { file in
        file.lines.compactMap { line in
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

@Test(arguments: pure)
func aPureModuleImportsNoFoundationAndNoSystem(_ target: String) {
    for (file, module) in imports(of: target) {
        #expect(!["Foundation", "Glibc", "Darwin"].contains(module), "\(file) imports \(module)")
        // Event streams hand values over to queues; nothing else pure knows of any.
        if target != "EventStreams" { #expect(module != "Dispatch", "\(file) imports \(module)") }
    }
}

@Test func thePackageDeclaresNoDependencyAndOnlyAllowedEdges() throws {
    let manifest = try Repository.text("Package.swift")
    #expect(!manifest.contains(".package("))
    for (target, modules) in allowed {
        guard let declaration = try declaration(of: target) else { continue }
        for other in allowed.keys where declaration.contains("\"\(other)\"") {
            #expect(modules.contains(other), "\(target) is declared to depend on \(other)")
        }
    }
}

/// Modules that import every module they declare, and the reverse. Add a module when it does; none is ever removed.
private let exactModules = ["Fairness", "Rules", "Simulation", "Snapshots", "TableEngine", "TableModel"]

@Test(arguments: exactModules)
func aTargetDeclaresExactlyTheModulesThatItImports(_ target: String) throws {
    let declaration = try #require(try declaration(of: target), "Package.swift declares no \(target)")
    let declared = Set(allowed.keys.filter { $0 != target && declaration.contains("\"\($0)\"") })
    let imported = Set(imports(of: target).map(\.module)).intersection(allowed.keys)
    #expect(
        declared == imported,
        "\(target): declared but unused \(declared.subtracting(imported)), undeclared \(imported.subtracting(declared))")
}

/// The arguments of a target in the manifest, up to the first closing parenthesis.
private func declaration(of target: String) throws -> Substring? {
    let manifest = try Repository.text("Package.swift")
    let start =
        manifest.range(of: "arget(\n            name: \"\(target)\"") ?? manifest.range(of: "arget(name: \"\(target)\"")
    return start.map { manifest[$0.upperBound...].prefix { $0 != ")" } }
}

@Test func everyTargetWithSourcesHasADocumentationPage() {
    for target in targets
    where !target.hasPrefix("bj") && !["CSockets", "CArguments", "CAllocationCount", "CFloor"].contains(target) {
        let page = "Sources/\(target)/\(target).docc/\(target).md"
        #expect((try? Repository.text(page).hasPrefix("# ``\(target)``")) == true, "\(page)")
    }
}

@Test func noTypeBearsItsModulesName() throws {
    for target in targets {
        let pattern = try Regex("(struct|class|enum|actor|protocol|typealias) \(target)\\b")
        for file in Repository.swiftFiles(below: "Sources/\(target)") {
            #expect(file.text.firstMatch(of: pattern) == nil, "\(file.path)")
        }
    }
}
