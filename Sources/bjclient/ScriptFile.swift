import CommandLineKit
import TerminalUI

extension TableSession.Options {
    /// Reads a script. Exits if that fails, or if a line is wrong.
    mutating func readScript(_ path: String) {
        let text: String
        do {
            text = try Console.text(of: path, upTo: Script.limit)
        } catch {
            Console.fail("bjclient", error, status: 66)
        }
        do throws(Script.Failure) {
            script = try Script(text)
        } catch {
            Console.fail("bjclient", "\(path), \(error)", status: 65)
        }
        scriptName = path
        // The script says how long a command may wait.
        isPlain = true
    }
}
