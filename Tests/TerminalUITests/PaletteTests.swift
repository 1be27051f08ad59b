import Testing

@testable import TerminalUI

/// Colours: how many a terminal has, and what a style becomes.
struct PaletteTests {
    @Test(arguments: [
        (["TERM": "xterm-256color", "COLORTERM": "truecolor"], ColorDepth.truecolor),
        (["TERM": "xterm", "COLORTERM": "24bit"], .truecolor),
        (["TERM": "screen-256color", "COLORTERM": "truecolor"], .indexed), (["TERM": "tmux-256color"], .indexed),
        (["TERM": "xterm-kitty"], .truecolor), (["TERM": "xterm-direct"], .truecolor), (["TERM": "xterm"], .basic),
        (["TERM": "linux"], .basic), (["TERM": "vt100"], .none), (["TERM": "vt100", "COLORTERM": "yes"], .basic), ([:], .none),
        (["TERM": "xterm-mono"], .none),
        (["TERM": "xterm", "NO_COLOR": "0"], .none), (["TERM": "xterm", "NO_COLOR": ""], .basic),
        (["TERM": "vt100", "FORCE_COLOR": "1"], .basic), (["TERM": "xterm", "NO_COLOR": "1", "FORCE_COLOR": "yes"], .basic),
        (["TERM": "xterm", "FORCE_COLOR": "2"], .indexed), (["TERM": "xterm", "FORCE_COLOR": "3"], .truecolor),
        (["TERM": "xterm", "FORCE_COLOR": "0"], .none), (["TERM": "xterm-256color", "FORCE_COLOR": ""], .indexed),
    ])
    fileprivate func theEnvironment_saysHowManyColoursThereAre(_ environment: [String: String], _ depth: ColorDepth) {
        #expect(ColorDepth(.auto, environment: environment) == depth)
    }

    @Test func aChoice_winsOverTheEnvironment() {
        let environment = ["TERM": "xterm-256color", "NO_COLOR": "1"]
        #expect(ColorDepth(.always, environment: environment) == .indexed)
        #expect(ColorDepth(.always, environment: [:]) == .basic)
        #expect(ColorDepth(.never, environment: ["TERM": "xterm", "FORCE_COLOR": "3"]) == .none)
        #expect(ColorDepth(.basic, environment: environment) == .basic)
        #expect(ColorDepth(.indexed, environment: [:]) == .indexed && ColorDepth(.truecolor, environment: [:]) == .truecolor)
    }

    @Test func aStyle_hasItsColoursAtEachDepth() {
        func codes(_ depth: ColorDepth, _ style: Style) -> String {
            Palette(depth: depth).parameters(Palette(depth: depth).ink(style), over: Palette.Ink())
        }
        #expect(codes(.none, [.bold, .red]) == "1" && codes(.none, .heart) == "" && codes(.none, [.dim, .back]) == "2")
        #expect(codes(.basic, [.bold, .red]) == "1;30;101" && codes(.basic, .heart) == "31;47")
        #expect(codes(.indexed, .yellow) == "38;5;16;48;5;221" && codes(.indexed, .spade) == "38;5;16;48;5;255")
        #expect(codes(.truecolor, [.inverse, .green]) == "38;2;24;24;27;48;2;122;209;132")
        #expect(codes(.truecolor, [.inverse]) == "7", "no colour of its own")
        // From one style to another, only what differs, but that the end of an attribute takes a reset.
        func change(_ one: Style, _ other: Style) -> String {
            let palette = Palette(depth: .basic)
            return palette.parameters(palette.ink(other), over: palette.ink(one))
        }
        #expect(change(.heart, .spade) == "30" && change(.heart, .plain) == "39;49" && change(.bold, [.bold, .red]) == "30;101")
        #expect(change([.bold, .red], .red) == "0;30;101" && change(.bold, .plain) == "0")
    }

    @Test(arguments: [ColorDepth.basic, .indexed, .truecolor])
    fileprivate func fourSuits_haveFourColours_andTwoHaveTwo(_ depth: ColorDepth) {
        let suits: [Style] = [.spade, .heart, .diamond, .club]
        for (choice, count) in [(ClientSettings.SuitColors.two, 2), (.four, 4)] {
            let palette = Palette(depth: depth, suits: choice)
            #expect(Set(suits.map { palette.parameters(palette.ink($0), over: Palette.Ink()) }).count == count)
        }
    }

    /// The contrast of text that WCAG 2 AA asks for, on a dark and on a light terminal; the 256 colours by xterm's formula.
    @Test(arguments: [0x000000, 0xFFFFFF] as [UInt32])
    func allText_isReadable(_ terminal: UInt32) throws {
        let palette = Palette(depth: .truecolor, suits: .four)
        for style: Style in [
            .red, .green, .yellow, [.felt, .red], [.felt, .green], [.felt, .yellow], .spade, .heart, .diamond, .club, .back,
            .faded, .felt,
        ]
            + Palette.names.indices.map({ Style(rawValue: UInt32($0 + 1) << 13) })
        {
            let pair = palette.colors(style)
            let text = try #require(pair.text)
            let contrast = contrast(text.rgb, pair.ground?.rgb ?? terminal)
            #expect(contrast >= 4.5, "\(style): \(contrast)")
            let indexed = self.contrast(Self.xterm(text.indexed), pair.ground.map { Self.xterm($0.indexed) } ?? terminal)
            #expect(indexed >= 4.5, "\(style), 256 colours: \(indexed)")
        }
    }

    private static func xterm(_ index: UInt8) -> UInt32 {
        if index >= 232 { return UInt32(8 + 10 * (Int(index) - 232)) * 0x010101 }
        let steps: [UInt32] = [0, 95, 135, 175, 215, 255]
        let cube = Int(index) - 16
        return steps[cube / 36] << 16 | steps[cube / 6 % 6] << 8 | steps[cube % 6]
    }

    private func contrast(_ a: UInt32, _ b: UInt32) -> Double {
        let (first, second) = (luminance(a), luminance(b))
        return (max(first, second) + 0.05) / (min(first, second) + 0.05)
    }

    private func luminance(_ rgb: UInt32) -> Double {
        func part(_ shift: UInt32) -> Double {
            let value = Double(rgb >> shift & 0xFF) / 255
            // A cubic instead of the power 2.4: within one percent.
            return value <= 0.04045 ? value / 12.92 : value * value * (0.305306 * value + 0.682171) + 0.012523 * value
        }
        return 0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0)
    }

    @Test func cards_areDrawnAsCards() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS TD 6H 7C")
        try scene.bet(1, 10)
        let frame = scene.frame(80, 24)
        let two = frame.drawing(over: nil, for: .init(palette: Palette(depth: .truecolor)))
        // A space needs no colour of its text.
        #expect(two.contains("48;2;245;243;236m ") && two.contains("48;2;38;74;140m \u{1B}[38;2;195;208;240m░░░ "))
        #expect(two.contains("38;2;24;24;27m") && !two.contains("┌"))
        let none = frame.drawing(over: nil, for: .init(palette: Palette(depth: .none)))
        #expect(none.firstMatch(of: /\[(?:[0-9]+;)*[34][0-9]/) == nil && none.contains("│10♦│") && none.contains("┌───┐"))
    }
}

extension PaletteTests {
    @Test func aSpeaker_hasAlwaysTheSameColour_andTheLineHasNone() throws {
        var scene = try Scene(chips: [1: 1000, 2: 1000], cards: "TS TD 6H 7C")
        scene.edit {
            for (name, text) in [("bob", "hi"), ("dee", "hello"), ("bob", "well <bob")] {
                $0.say(Sentence(.chat, "<\(SafeText(name))> \(SafeText(text))", speaker: name))
            }
        }
        let lines = scene.frame(120, 40).lines.filter { $0.text.contains("<bob> ") || $0.text.contains("<dee> ") }
        let names = lines.map { line in line.spans.filter { $0.style.nameColor != nil } }
        #expect(names.map { $0.map(\.text.text) } == [["bob"], ["dee"], ["bob"]])
        #expect(names[0][0].style == names[2][0].style && names[0][0].style != names[1][0].style)
        for depth: ColorDepth in [.basic, .indexed] { #expect(Palette(depth: depth).ink(names[0][0].style) != Palette.Ink()) }
        #expect(Palette(depth: .none).ink(names[0][0].style) == Palette.Ink())
    }
}
