import Foundation
import TestKit
import Testing

/// The short form of `.ci/crash`: the seed is in the failure's text.
@Test(.ownThread) func tenKills_loseNothingThatPlayersWereTold() throws {
    let folder = ScratchFolder()
    let words = [
        "--kills", "10", "--seed", "\(Seed.value % 1_000_000)", "--tables", "3", "--players", "8", "--data", folder.path,
    ]
    let run = try Tool.run("bjbots", ["crash", Tool.path("bjserver")] + words)
    #expect(run.status == 0, "\(words): \(run.output)\(run.errors)")
    #expect(run.output.contains("10 kills, "), "\(run.output)")
    #expect(run.output.contains("1 stops with imbalance=0"), "\(run.output)")
}

/// Without the journal's promise the run fails: the proof would notice.
@Test(.ownThread) func aServerThatPromisesNothing_isFoundOut() throws {
    let folder = ScratchFolder()
    let words = [
        "--kills", "40", "--seed", "1", "--tables", "2", "--players", "6", "--durability", "none", "--data", folder.path,
    ]
    let run = try Tool.run("bjbots", ["crash", Tool.path("bjserver")] + words)
    #expect(run.status == 1, "\(run.output)\(run.errors)")
    #expect(run.output.contains("FAILED seed 1, kill "), "\(run.output)")
}

@Test(.ownThread) func aServerThatCannotBeStarted_isSaid() throws {
    let folder = ScratchFolder()
    let run = try Tool.run("bjbots", ["crash", folder.path + "/absent", "--kills", "1", "--data", folder.path])
    #expect(run.status == 69)
    #expect(run.output.contains("cannot start"), "\(run.output)")
}
