import TestKit
import Testing

@Suite(.ownThread)
struct OperatorSessionTests {
    private static let scripts = ScriptFolder("Sessions", ending: ".session")

    /// Sessions that use a database have files of their own.
    private static func scenes(withDatabase: Bool) throws -> [OperatorSession.Scene] {
        let names = scripts.names.filter { $0.hasPrefix("store") == withDatabase }
        return try names.flatMap { OperatorSession.scenes(of: try scripts.text($0)) }
    }

    @Test(arguments: try scenes(withDatabase: false))
    func commandsAndServers_doAsIsWrittenDown(_ scene: OperatorSession.Scene) throws { try OperatorSession().play(scene) }

    @Test(.postgres, arguments: try scenes(withDatabase: true))
    func commandsAndServersOfADatabase_doAsIsWrittenDown(_ scene: OperatorSession.Scene) throws {
        try OperatorSession().play(scene)
    }
}
