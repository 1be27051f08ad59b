import Testing

@testable import LoadGenerator

/// The texts below a plot stand beside each other, however many marks there are and however long the last one is.
@Test func theMarksOfAPlot_doNotWriteOverEachOther() throws {
    let tick = /x="([0-9.-]+)" y="242\.0" text-anchor="(middle|end)">([^<]+)</
    func check(_ axis: Plot.Axis) throws {
        let html = Plot(title: "A plot", x: axis, y: .linear(upTo: 10) { "\(Int($0))" }, curves: []).html
        var end = 0.0
        let marks = html.matches(of: tick)
        for mark in marks {
            let place = try #require(Double(mark.output.1))
            // A character of this size takes about six units.
            let width = 6 * Double(mark.output.3.count)
            let start = mark.output.2 == "end" ? place - width : place - width / 2
            #expect(start > end, "\(marks.map(\.output.3))")
            end = start + width
        }
        #expect(marks.count >= 2 && marks.last.map { String($0.output.3) } == axis.marks.last?.text)
    }
    for count: UInt64 in [1, 1000, 100_000, 1_862_254, 100_000_000] { try check(.percentiles(upTo: count)) }
    for seconds in [1.0, 7, 60, 97, 1200, 1863, 9999, 86_400, 1_000_000] {
        try check(.linear(upTo: seconds, isTight: true) { "\(Int($0)) s" })
    }
}
