import Wire

/// State shared by the witnesses of one loop: mirrors of tables, and violations. Confined to its loop.
package final class WitnessRoom {
    private(set) var mirrors: [String: TableMirror] = [:]
    /// The first violations, with the scripts that may bring them about again.
    package private(set) var violations: [(violation: Violation, script: String)] = []
    package private(set) var violationCount = 0
    /// Lines that were read and judged.
    package var lines = 0
    /// Reads the lines that no other bot has read before; one for all, since each diff is put down in the memory of the one before it.
    var reader = ServerLineReader()

    private static let keptViolations = 100

    package init() {}

    func mirror(of table: String) -> TableMirror {
        if let mirror = mirrors[table] { return mirror }
        let mirror = TableMirror()
        mirrors[table] = mirror
        return mirror
    }

    func report(_ violation: Violation, script: () -> String) {
        violationCount += 1
        if violations.count < Self.keptViolations { violations.append((violation, script())) }
    }

    /// Rounds of each table.
    package var rounds: [String: Int] { mirrors.mapValues(\.rounds) }
}
