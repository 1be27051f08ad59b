import Foundation
import Snapshots
import Testing

/// The worked examples of the documentation: their code is what is compiled here, and it does what the articles say.
struct ExampleTests {
    @Test(arguments: ["CountdownList", "LobbyList"])
    func article_showsExactlyTheCodeThatIsExecuted(name: String) throws {
        let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let source = try String(contentsOf: here.appendingPathComponent("\(name).swift"), encoding: .utf8)
        let article = try String(
            contentsOf: root.appendingPathComponent("Sources/Snapshots/Snapshots.docc/\(name).md"), encoding: .utf8)
        let executed = blocks(of: source, from: "// snippet", to: "// end of snippet")
        #expect(!executed.isEmpty && executed == blocks(of: article, from: "```swift", to: "```"))
    }

    private func blocks(of text: String, from begin: String, to end: String) -> [[Substring]] {
        var blocks: [[Substring]] = []
        var block: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == begin {
                block = []
            } else if line == end, let complete = block {
                blocks.append(complete)
                block = nil
            } else {
                block?.append(line)
            }
        }
        return blocks
    }

    /// The cells as they are shown, section by section.
    private func shown<Section, Item>(_ source: DiffableDataSource<Section, Item, String>) -> [[String]] {
        source.snapshot().contents.map { $0.items.compactMap { source.cell(for: $0) } }
    }

    @Test func countdownList_countsDown_andMovesWhatIsDone() throws {
        let list = try CountdownList([
            Countdown(name: "tea", secondsLeft: 3), Countdown(name: "egg", secondsLeft: 1),
            Countdown(name: "rice", secondsLeft: 2),
        ])
        #expect(shown(list.source) == [["tea: 3 s", "egg: 1 s", "rice: 2 s"], []])
        var difference = try list.tick()
        #expect(shown(list.source) == [["tea: 2 s", "rice: 1 s"], ["egg: done"]])
        #expect(difference.movedItems == [.init(item: 1, section: .finished, index: 0)])
        #expect(difference.structuralOperationCount == 1 && difference.reconfiguredItems == [0, 1, 2])
        for _ in 0..<3 { difference = try list.tick() }
        #expect(shown(list.source) == [[], ["egg: done", "rice: done", "tea: done"]])
        #expect(difference.isEmpty)
    }

    @Test func lobbyList_keepsTheConnectedTableOnTop_whileOthersComeGoAndChangeRank() throws {
        let lobby = LobbyList()
        try lobby.show(
            [
                LobbyTable(number: 1, name: "Ace", freeSeats: 2), LobbyTable(number: 2, name: "Bay", freeSeats: 5),
                LobbyTable(number: 3, name: "Cup", freeSeats: 4),
            ], connected: nil)
        #expect(shown(lobby.source) == [["Bay, 5 free", "Cup, 4 free", "Ace, 2 free"]])
        var difference = try lobby.show(
            [
                LobbyTable(number: 1, name: "Ace", freeSeats: 1), LobbyTable(number: 2, name: "Bay", freeSeats: 5),
                LobbyTable(number: 3, name: "Cup", freeSeats: 6), LobbyTable(number: 4, name: "Den", freeSeats: 3),
            ], connected: 1)
        #expect(shown(lobby.source) == [["Ace, 1 free"], ["Cup, 6 free", "Bay, 5 free", "Den, 3 free"]])
        #expect(difference.movedItems.count == 2 && difference.insertedItems.count == 1)
        #expect(difference.deletedItems.isEmpty && difference.reconfiguredItems == [3, 1])
        difference = try lobby.show(
            [LobbyTable(number: 1, name: "Ace", freeSeats: 0), LobbyTable(number: 4, name: "Den", freeSeats: 3)], connected: 1)
        #expect(shown(lobby.source) == [["Ace, 0 free"], ["Den, 3 free"]])
        #expect(difference.deletedItems == [3, 2] && difference.operationCount == 3)
    }
}
