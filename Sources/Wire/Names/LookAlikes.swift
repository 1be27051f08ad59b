/// Characters that look alike, after Unicode's UTS #39, §4: texts that look alike have the same skeleton. For characters that a ``PlayerName``
/// may have: letters of other scripts that resemble Latin ones, and pairs that fonts hardly tell apart. Marks count: `é` is not `e`.
enum LookAlikes {
    /// The same for all names that look alike, and its own skeleton, so that a chain of likenesses ends at the same.
    static func skeleton(of text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64)
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                append(ascii[Int(scalar.value)], to: &bytes)
            } else if let folded = folded[scalar] {
                for byte in folded { append(byte, to: &bytes) }
            } else if scalar.properties.generalCategory == .otherLetter {
                bytes.append(contentsOf: String(scalar).utf8)
            } else {
                for byte in fold(scalar).utf8 { append(byte, to: &bytes) }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Two letters that look like one, as `rn` like `m`. None of the models begins or ends a pair, so one pass joins all.
    static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        let joined: UInt8? =
            switch (bytes.last, byte) {
            case (UInt8(ascii: "r"), UInt8(ascii: "n")): UInt8(ascii: "m")
            case (UInt8(ascii: "v"), UInt8(ascii: "v")): UInt8(ascii: "w")
            case (UInt8(ascii: "c"), UInt8(ascii: "l")): UInt8(ascii: "d")
            default: nil
            }
        guard let joined else { return bytes.append(byte) }
        bytes[bytes.count - 1] = joined
    }

    /// The skeleton of a character. Looks before case: a capital and its small letter may look like two others (`Η` like `H`, `η` like `n`).
    /// Repeats until nothing changes; each step leads to fewer letters.
    private static func fold(_ scalar: Unicode.Scalar) -> String {
        var text = String(scalar)
        while true {
            var next = ""
            for scalar in text.unicodeScalars {
                if scalar.isASCII && scalar != "0" && scalar != "1" && scalar != "I" {
                    next.unicodeScalars.append(scalar)
                } else {
                    for part in Decomposition.parts(of: scalar) ?? [scalar] { next += model(of: part) }
                }
            }
            next = next.uppercased().lowercased()
            guard next != text else { return next }
            text = next
        }
    }

    /// The character that another one looks like; usually itself.
    private static func model(of scalar: Unicode.Scalar) -> String {
        if let model = models[scalar] { return model }
        // A zero is round in nearly every script.
        if scalar.properties.numericValue == 0, scalar.properties.generalCategory == .decimalNumber { return "o" }
        return String(scalar)
    }

    /// Skeletons of ASCII characters.
    private static let ascii: [UInt8] = (0..<128).map { (value: UInt8) in fold(Unicode.Scalar(value)).utf8.first ?? value }

    /// Skeletons of other characters with look-alikes or marks. Precomputed: folding one takes 10 µs, and a stranger may ask for twenty at once.
    private static let folded: [Unicode.Scalar: [UInt8]] = {
        var folded: [Unicode.Scalar: [UInt8]] = [:]
        for scalar in Array(models.keys) + Decomposition.table.keys { folded[scalar] = Array(fold(scalar).utf8) }
        return folded
    }()

    /// By each character that is taken for another one.
    static let models: [Unicode.Scalar: String] = {
        var models: [Unicode.Scalar: String] = [:]
        for (model, others) in rows {
            for scalar in others.unicodeScalars where scalar != " " {
                precondition(models.updateValue(model, forKey: scalar) == nil, "a character is in one row")
            }
        }
        return models
    }()

    /// Models and their look-alikes: Latin, Greek, Coptic, Cyrillic, Armenian, Cherokee, Lisu, Canadian and some old letters, in this order.
    static let rows: [(model: String, others: String)] = [
        ("a", "ɑᴀ αΑ Ⲁⲁ аА Ꭺꭺꓮᗅ𐊠"), ("æ", "ᴁ ӕӔ"), ("b", "ʙƄƅ Β Ⲃⲃ вВьЬ ᏏꮟᏴᏼꓐᑲᗷᖯ𐊂"),
        ("c", "ᴄ Ⲥⲥ сС Ꮯꮯꓚ𐊢"), ("d", "ᴅ ԁԀ ᎠꭰᏧꮷꓓᑯᗞᗪ"), ("e", "ᴇ Ε еЕҽҼ Ꭼꭼꓰⴹ𐊆"), ("f", "ꜰꞙꞘꬵ Ϝ ք ꓝᖴ𐊇"),
        ("g", "ɡɢᶃ Ԍԍ ց ᏀꮐᏳᏻꓖ"), ("h", "ʜ Η Ⲏⲏ нНһҺ հ ᏂꮒᎻꮋꓧᕼ"), ("i", "ıɩɪ ι і Ꭵꭵ ꙇ"), ("j", "ᴊȷ Ϳϳ јЈ յ Ꭻꭻꓙᒍ"),
        ("k", "ᴋĸ κΚ Ⲕⲕ кК Ꮶꮶꓗᛕ"), ("l", "1IʟƖǀ Ι Ⲓⲓ ІӀӏ ᏞꮮꓡꓲᒪⵏᛁⳐ𐊊"), ("m", "ᴍ Μ Ϻϻ Ⲙⲙ мМ Ꮇꮇꓟᗰᛖ"),
        ("n", "ɴ Νη Ⲛⲛ ոռ ꓠ"), ("o", "0ᴏᴑ οΟ Ⲟⲟ оО օՕ ჿ ꓳⵔ𐊒"), ("p", "ᴘƿǷ ρΡ Ⲣⲣ рР Ꮲꮲꓑᑭ𐊕"), ("q", "ꞯ ԛԚ գզ ⵕ"),
        ("r", "ʀƦ ᴦ гⲅ ᎡꭱᏒꮢꓣᖇ"), ("s", "ꜱƽƼ ѕЅ Տ ᏕꮥᏚꮪꓢ𐊖"), ("t", "ᴛ τΤ Ⲧⲧ тТ Ꭲꭲꓔ𐊗𐌕"), ("u", "ᴜʋ υ սՍ ꓴᑌ"),
        ("v", "ᴠ ν ѵѴ Ꮩꮩꓦᐯⴸ"), ("w", "ᴡɯ ω ⲰⲱԝԜѡѠ ա ᎳꮃᏔꮤꓪ"), ("x", "Χχ Ⲭⲭ хХ ꓫⵝᚷ𐊐𐌗"), ("y", "ʏỿ Υγ Ⲩⲩ уУүҮ ყ ᎩꭹᎽꮍꓬ𐊲"),
        ("z", "ᴢ Ζ Ⲍⲍ Ꮓꮓꓜ"), ("ß", "β"),
        ("2", "ƧƨϨϩᒿ"), ("3", "ƷʒȜȝɜ зЗӠӡ Ⳍⳍ"), ("4", "Ꮞꮞ"), ("8", "Ȣȣ"),
        ("ə", "ǝ әӘ"), ("ɛ", "ε ԑԐ"), ("ɵ", "ƟθΘѳѲөӨ Ꮎꮎ"), ("п", "πΠᴨ Ⲡⲡ"), ("ф", "φΦɸ Ⲫⲫ"), ("ʌ", "λΛ"), ("þ", "ϸϷ"),
        ("'", "ʼʻʽʹʾʿˈꞌꞋ"), ("口", "ロ囗"), ("力", "カ"), ("工", "エ"), ("二", "ニ"), ("八", "ハ"), ("夕", "タ"), ("卜", "ト"), ("へ", "ヘ"),
        ("\u{306}", "\u{30C}"), ("\u{303}", "\u{342}"), ("\u{327}", "\u{326}"),
    ]
}
