// swift-tools-version: 6.3
import Foundation
import PackageDescription

/// The commit that `--version` names, from scripts that build releases; without it `--version` names none.
let commit: [CSetting] = Context.environment["BJ_COMMIT"].map { $0.isEmpty ? [] : [.define("BJ_COMMIT", to: "\"\($0)\"")] } ?? []

// Each target with what it may import: one way only, and a test holds it. No package dependency, ever.
let package = Package(
    name: "blackjack",
    platforms: [.macOS(.v26)],
    products: [
        .library(name: "Rules", targets: ["Rules"]),
        .library(name: "Snapshots", targets: ["Snapshots"]),
        .library(name: "EventStreams", targets: ["EventStreams"]),
        .library(name: "Fairness", targets: ["Fairness"]),
        .library(name: "Odds", targets: ["Odds"]),
        .library(name: "RoundSimulation", targets: ["RoundSimulation"]),
        .executable(name: "bjserver", targets: ["bjserver"]),
        .executable(name: "bjclient", targets: ["bjclient"]),
        .executable(name: "bjbots", targets: ["bjbots"]),
        // What ships, by one command: `swift build -c release --product programs`.
        .executable(name: "programs", targets: ["programs"]),
        .executable(name: "bjbench", targets: ["bjbench"]),
        .executable(name: "bjverify", targets: ["bjverify"]),
    ],
    targets: [
        .target(name: "Rules"),
        .target(name: "Snapshots"),
        .target(name: "EventStreams"),
        .target(name: "Fairness"),
        .target(name: "TableModel", dependencies: ["Rules", "Snapshots", "Fairness"]),
        .target(name: "TableEngine", dependencies: ["Rules", "TableModel", "Fairness"]),
        .target(name: "Odds", dependencies: ["Rules"]),
        .target(name: "RoundSimulation", dependencies: ["Odds", "Rules", "TableEngine"]),
        .target(name: "Wire", dependencies: ["Rules", "TableModel", "Fairness"]),
        .target(name: "CSystem", cSettings: commit),
        .target(name: "Sockets", dependencies: ["CSystem"]),
        .target(name: "Journal"),
        .target(
            name: "Postgres", dependencies: ["ServerCore", "Sockets", "Journal", "Wire", "TableEngine", "Fairness"]),
        // Payouts a second time, for who judges those of the engine.
        .target(name: "Payouts", dependencies: ["Rules", "TableModel"]),
        .target(name: "Records", dependencies: ["Rules", "TableModel", "TableEngine", "Fairness", "Wire", "Payouts"]),
        .target(name: "CommandLineKit", dependencies: ["CSystem"]),
        .target(
            name: "ServerCore",
            dependencies: [
                "TableEngine", "Wire", "Sockets", "Journal", "Records", "Odds", "Rules", "TableModel", "Fairness",
            ]),
        .target(
            name: "ClientCore",
            dependencies: ["Wire", "TableModel", "EventStreams", "Sockets", "CommandLineKit", "Fairness", "Rules"]),
        // Judges from bytes: links no socket, and not the engine that it judges.
        .target(name: "Referee", dependencies: ["Wire", "TableModel", "Rules", "Payouts"]),
        .target(
            name: "Bots",
            dependencies: ["ClientCore", "EventStreams", "Sockets", "Wire", "TableModel", "Odds", "Rules"]),
        .target(
            name: "LoadGenerator",
            dependencies: [
                "Bots", "Referee", "ClientCore", "CommandLineKit", "Sockets", "Wire", "TableModel", "Rules",
            ]),
        .executableTarget(
            name: "bjserver",
            dependencies: [
                "ServerCore", "Bots", "CommandLineKit", "Journal", "Odds", "Postgres", "Records", "Rules", "Sockets",
                "Wire",
            ],
            resources: [.embedInCode("Install/Files")]),
        .target(
            name: "TerminalUI",
            dependencies: [
                "ClientCore", "Wire", "TableModel", "Snapshots", "EventStreams", "Sockets", "CommandLineKit", "Fairness", "Rules",
            ]),
        .executableTarget(
            name: "bjclient",
            dependencies: [
                "TerminalUI", "ClientCore", "ServerCore", "Bots", "CommandLineKit", "Journal", "Sockets", "Rules", "Wire",
            ]),
        .executableTarget(
            name: "bjbots",
            dependencies: [
                "Bots", "LoadGenerator", "CommandLineKit", "Sockets", "Odds", "RoundSimulation", "Rules", "Wire",
            ]),
        .executableTarget(name: "programs", dependencies: ["bjserver", "bjclient", "bjbots"], path: "Tests/Programs"),
        // What verifies the product and is not shipped: nothing in Sources imports it.
        .target(name: "StorageDoubles", dependencies: ["Journal"], path: "Tests/Verification/StorageDoubles"),
        .target(
            name: "RecoveryJudge", dependencies: ["Referee", "Wire", "TableModel", "Fairness", "Rules"],
            path: "Tests/Verification/RecoveryJudge"),
        .target(
            name: "CrashRuns",
            dependencies: [
                "RecoveryJudge", "LoadGenerator", "Bots", "ClientCore", "CommandLineKit", "Sockets", "Wire", "TableModel",
                "Rules",
            ],
            path: "Tests/Verification/CrashRuns"),
        .target(
            name: "SystemSimulation",
            dependencies: [
                "ServerCore", "CrashRuns", "LoadGenerator", "ClientCore", "RecoveryJudge", "Journal", "StorageDoubles", "Sockets",
                "Wire", "TableModel", "TableEngine", "Records", "Fairness", "Rules",
            ],
            path: "Tests/Verification/SystemSimulation"),
        .target(name: "CBenchmarks", path: "Tests/Verification/CBenchmarks"),
        .executableTarget(
            name: "bjbench",
            dependencies: [
                "Snapshots", "EventStreams", "TableEngine", "TableModel", "Wire", "ServerCore", "Odds", "Rules", "CommandLineKit",
                "CBenchmarks", "Sockets", "Journal", "Records", "Fairness",
            ],
            path: "Tests/Verification/bjbench"),
        .executableTarget(
            name: "bjverify", dependencies: ["CrashRuns", "SystemSimulation", "CommandLineKit", "Sockets", "Wire"],
            path: "Tests/Verification/bjverify"),
        // Helpers of all tests. A test target, so that a build of the programs leaves it out.
        .testTarget(
            name: "TestKit", dependencies: ["Rules", "Journal", "StorageDoubles", "TableEngine", "CommandLineKit"],
            path: "Tests/TestKit"),
        .testTarget(name: "RulesTests", dependencies: ["Rules", "TestKit"]),
        .testTarget(name: "SnapshotsTests", dependencies: ["Snapshots", "TestKit"]),
        .testTarget(name: "EventStreamsTests", dependencies: ["EventStreams", "TestKit"]),
        .testTarget(name: "FairnessTests", dependencies: ["Fairness"], exclude: ["Golden"]),
        .testTarget(
            name: "TableEngineTests", dependencies: ["TableEngine", "TableModel", "Fairness", "Rules", "TestKit"],
            exclude: ["RuleBook.md", "Scenes"]),
        .testTarget(
            name: "RecordsTests",
            dependencies: ["Records", "RecoveryJudge", "TableEngine", "TableModel", "Fairness", "Wire", "Rules", "TestKit"],
            exclude: ["Golden"]),
        .testTarget(name: "OddsTests", dependencies: ["Odds", "RoundSimulation", "Rules", "TestKit"]),
        .testTarget(
            name: "SystemSimulationTests",
            dependencies: ["SystemSimulation", "ServerCore", "Records", "Journal", "Sockets", "TestKit"]),
        .testTarget(
            name: "SimulationTests", dependencies: ["Odds", "RoundSimulation", "Rules", "TableEngine", "TestKit"],
            exclude: ["Python"]),
        .testTarget(
            name: "WireTests",
            dependencies: ["Wire", "TableModel", "Snapshots", "Fairness", "CommandLineKit", "Rules", "TestKit"],
            exclude: ["Golden", "Corpus", "Fuzzer"]),
        .testTarget(name: "SocketsTests", dependencies: ["Sockets", "TestKit"]),
        .testTarget(name: "JournalTests", dependencies: ["Journal", "TestKit"]),
        .testTarget(
            name: "PostgresTests",
            dependencies: [
                "Postgres", "ServerCore", "Sockets", "Journal", "Wire", "TableModel", "TableEngine", "Rules", "Fairness",
                "SystemSimulation", "TestKit",
            ]),
        .testTarget(name: "OperationsTests", dependencies: ["ServerCore", "Journal", "Sockets", "TestKit"]),
        .testTarget(name: "CommandLineKitTests", dependencies: ["CommandLineKit", "TestKit"], exclude: ["Golden"]),
        .testTarget(name: "TableModelTests", dependencies: ["TableModel", "Rules", "Snapshots"]),
        .testTarget(
            name: "ServerCoreTests",
            dependencies: [
                "ServerCore", "Journal", "Records", "Wire", "TableModel", "TableEngine", "Rules", "Fairness",
                "Sockets", "SystemSimulation", "TestKit",
            ],
            exclude: ["Sessions"]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "Fairness", "Journal", "ServerCore", "TerminalUI", "ClientCore", "Bots", "EventStreams", "Sockets", "Wire",
                "TableModel", "TableEngine", "Records", "Rules", "SystemSimulation", "LoadGenerator", "CommandLineKit", "TestKit",
            ],
            exclude: ["Python"]),
        .testTarget(
            name: "TerminalUITests",
            dependencies: [
                "TerminalUI", "ClientCore", "Wire", "TableModel", "Fairness", "Rules", "TableEngine", "TestKit",
            ],
            exclude: ["Golden", "Screenplays"]),
        .testTarget(
            name: "ServerProgramTests",
            dependencies: [
                "bjserver", "bjbots", "bjclient", "bjbench", "ServerCore", "Records", "Journal", "CommandLineKit", "Rules",
                "Sockets", "TestKit",
            ],
            exclude: ["Golden", "Sessions"]),
        .testTarget(
            name: "ToolProgramTests",
            dependencies: ["bjserver", "bjclient", "bjbots", "bjbench", "bjverify", "CommandLineKit", "TestKit"]),
        .testTarget(
            name: "DocumentationTests",
            dependencies: ["bjserver", "bjclient", "bjbots", "bjbench", "bjverify", "CommandLineKit"]),
        .testTarget(
            name: "ClientCoreTests",
            dependencies: ["ClientCore", "Wire", "TableModel", "TableEngine", "EventStreams", "Fairness", "Rules", "TestKit"]),
        .testTarget(
            name: "RefereeTests",
            dependencies: [
                "Referee", "RecoveryJudge", "LoadGenerator", "ClientCore", "Wire", "TableModel", "TableEngine", "Fairness",
                "Payouts",
                "Rules", "TestKit",
            ]),
        .testTarget(
            name: "BotsTests",
            dependencies: [
                "Bots", "Referee", "LoadGenerator", "bjbots", "CommandLineKit", "ServerCore", "Odds", "Rules", "Sockets",
                "TestKit", "Wire",
            ]),
        .testTarget(name: "ArchitectureTests", dependencies: ["TestKit"]),
    ],
    swiftLanguageModes: [.v6]
)

// Where there are no tests, as in a container's build, and for the fuzzer.
if !FileManager.default.fileExists(atPath: "\(Context.packageDirectory)/Tests") || Context.environment["BJ_FUZZ"] != nil {
    package.targets.removeAll { $0.path?.hasPrefix("Tests/") == true || $0.type == .test }
    package.products.removeAll { ["bjbench", "bjverify", "programs"].contains($0.name) }
}

// The pure modules are optimised in debug builds, too, with their assertions: tests, servers and bots compute odds and rounds there ten times
// as fast. Not in a copy that SwiftPM fetched for another package, since a dependency may not have such flags.
if !["/checkouts/", "/registry/downloads/"].contains(where: Context.packageDirectory.contains) {
    for target in package.targets where ["Rules", "Odds", "RoundSimulation", "TableModel", "TableEngine"].contains(target.name) {
        target.swiftSettings = [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]
    }
}

// The tests of a few modules alone, built in seconds: `BJ_TESTS=Rules,Odds swift test`.
if let modules = Context.environment["BJ_TESTS"] {
    let wanted = modules.split(separator: ",").map { "\($0)Tests" }
    package.targets.removeAll { $0.type == .test && $0.name != "TestKit" && !wanted.contains($0.name) }
}

// The fuzzer has libFuzzer's `main` and the laws of the tests: `BJ_FUZZ=1 swift build -c release --sanitize=fuzzer --product bjfuzz`.
if Context.environment["BJ_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "bjfuzz", dependencies: ["Wire", "TableModel"], path: "Tests/WireTests", sources: ["Laws", "Fuzzer"]))
}
