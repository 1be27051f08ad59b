import CommandLineKit
import Wire

/// The subcommands of `bjverify`.
enum VerifyProgram: Sendable {
    case crash(CrashOptions)
    case simulateSystem(SimulateSystemOptions)

    static let command = Command<Void, VerifyProgram>(
        group: "bjverify", "Verifies the server: kills it, and simulates it with faults."
    ) {
        command in
        command.version(Release.text(protocol: WireLimits.versions))
        command.subcommand(CrashOptions.command)
        command.subcommand(SimulateSystemOptions.command)
    }
}
