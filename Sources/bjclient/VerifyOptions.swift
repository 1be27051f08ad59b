import ClientCore
import CommandLineKit
import Foundation

/// The options of `bjclient verify`.
struct VerifyOptions: Sendable {
    var file: String?

    static let command = Command<VerifyOptions, ClientProgram>(
        "verify", "Verifies the shuffle of a shoe from a proof file, without a server.", defaults: VerifyOptions(),
        program: ClientProgram.verify
    ) { command in
        command.discussion(
            """
            A proof file is the server's reply to 'proof', with a member 'seen' for what a player saw: announcements, the player's \
            contribution, cards, and the digest of the table's rules. The report lists what could not be compared; the last line \
            is 'verified' only if an announced order was compared. 'The shuffle that every client can verify' has the algorithm.
            """)
        command.argument("FILE", \.file, .path, help: "The proof file. Default: standard input.")
        command.example("bjclient verify proof.json", "print a proof's facts and verdict")
        command.exitStatus(65, "The proof is wrong (the first fault is printed), or the file is not a proof.")
        command.exitStatus(74, "The file cannot be read.")
    }

    func run() -> Never {
        let text = Console.orFail("bjclient", status: 74) {
            try Console.text(of: file ?? "/dev/stdin", upTo: ProofFile.byteLimit)
        }
        do throws(ProofFile.Unreadable) {
            let verdict = ProofVerdict(try ProofFile(text: text))
            for line in verdict.lines { Console.print(line) }
            Console.print(verdict.conclusion)
            if let fault = verdict.fault { Console.fail("bjclient", fault, status: 65) }
        } catch {
            Console.fail("bjclient", "\(file ?? "standard input"): \(error.description)", status: 65)
        }
        exit(0)
    }
}
