import Rules
import Testing

@testable import TableModel

struct OptionInternerTests {
    private func storage(_ options: [Choice.Option]?) -> UnsafePointer<Choice.Option>? {
        options?.withUnsafeBufferPointer(\.baseAddress)
    }

    @Test func equalLists_shareTheirStorage_andEachListIsTheOneAskedFor() {
        var interner = OptionInterner()
        var question: [Choice.Option]? {
            interner.intern {
                $0(.hit, 0)
                $0(.double, 10)
            }
        }
        #expect(
            storage(question) == storage(question)
                && question == [.init(action: .hit, cost: 0), .init(action: .double, cost: 10)])
        for cost in 0..<10_000 {
            #expect(interner.intern { $0(.double, cost) } == [.init(action: .double, cost: cost)])
        }
        #expect(interner.intern { _ in } == nil)
    }

    @Test func theListsOfALoopsTables_doNotEvictEachOther() {
        var interner = OptionInterner()
        func ask(_ bet: Int) -> UnsafePointer<Choice.Option>? {
            storage(
                interner.intern {
                    $0(.hit, 0)
                    $0(.double, 5 * bet)
                })
        }
        let first = (1...60).map(ask)
        #expect((1...60).map(ask) == first)
    }
}
