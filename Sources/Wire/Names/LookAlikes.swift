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

/// Unicode's canonical decomposition, as far as look-alikes need it: `ё` is `е` with two dots. A table, since the standard library exports
/// none; a test holds it against the real one, for every character that a name may have.
enum Decomposition {
    /// The letter and its marks; nil for a character without marks, or one that looks like no other.
    static func parts(of scalar: Unicode.Scalar) -> [Unicode.Scalar]? { table[scalar] }

    static let table: [Unicode.Scalar: [Unicode.Scalar]] = {
        var table: [Unicode.Scalar: [Unicode.Scalar]] = [:]
        for (marks, pairs) in rows {
            var pairs = pairs.unicodeScalars.makeIterator()
            while let composed = pairs.next(), let base = pairs.next() { table[composed] = [base] + marks.unicodeScalars }
        }
        return table
    }()

    /// By the marks: each composed letter, then its base.
    private static let rows: [(marks: String, pairs: String)] = [
        ("\u{300}", "ÀAÈEÌIÒOÙUàaèeìiòoùuǸNǹnЀЕѐеẀWẁwỲYỳyὰαὲεὴηὶιὸοὺυὼωᾺΑῈΕῊΗῚΙῪΥῸΟ"),
        ("\u{301}", "ÁAÉEÍIÓOÚUÝYáaéeíióoúuýyĆCćcĹLĺlŃNńnŔRŕrŚSśsŹZźzǴGǵgΆΑΈΕΉΗΊΙΌΟΎΥάαέεήηίιόούυώωЃГЌКѓгќкḰKḱkḾM"),
        ("\u{301}", "ḿmṔPṕpẂWẃw"), ("\u{302}", "ÂAÊEÎIÔOÛUâaêeîiôoûuĈCĉcĜGĝgĤHĥhĴJĵjŜSŝsŴWŵwŶYŷyẐZẑz"),
        ("\u{303}", "ÃAÑNÕOãañnõoĨIĩiŨUũuṼVṽvẼEẽeỸYỹy"),
        ("\u{308}", "ÄAËEÏIÖOÜUäaëeïiöoüuÿyŸYΪΙΫΥϊιϋυЁЕЇІёеїіӒАӓаӚӘӛәӞЗӟзӦОӧоӪӨӫөӰУӱуḦHḧhẄWẅwẌXẍxẗt"),
        ("\u{30A}", "ÅAåaŮUůuẘwẙy"), ("\u{327}", "ÇCçcĢGģgĶKķkĻLļlŅNņnŖRŗrŞSşsŢTţtȨEȩeḐDḑdḨHḩh"),
        ("\u{304}", "ĀAāaĒEēeĪIīiŌOōoŪUūuȲYȳyӮУӯуḠGḡgᾱαᾹΑῑιῙΙῡυῩΥ"),
        ("\u{306}", "ĂAăaĔEĕeĞGğgĬIĭiŎOŏoŬUŭuЎУўуӐАӑаӖЕӗеᾰαᾸΑῐιῘΙῠυῨΥ"), ("\u{328}", "ĄAąaĘEęeĮIįiŲUųuǪOǫo"),
        ("\u{307}", "ĊCċcĖEėeĠGġgİIŻZżzȦAȧaȮOȯoḂBḃbḊDḋdḞFḟfḢHḣhṀMṁmṄNṅnṖPṗpṘRṙrṠSṡsṪTṫtẆWẇwẊXẋxẎYẏy"),
        ("\u{30C}", "ČCčcĎDďdĚEěeĽLľlŇNňnŘRřrŠSšsŤTťtŽZžzǍAǎaǏIǐiǑOǒoǓUǔuǦGǧgǨKǩkǮƷǯʒǰjȞHȟh"),
        ("\u{30B}", "ŐOőoŰUűuӲУӳу"), ("\u{31B}", "ƠOơoƯUưu"), ("\u{308}\u{304}", "ǕUǖuǞAǟaȪOȫo"),
        ("\u{308}\u{301}", "ǗUǘuΐιΰυḮIḯi"), ("\u{308}\u{30C}", "ǙUǚu"), ("\u{308}\u{300}", "ǛUǜuῒιῢυ"),
        ("\u{307}\u{304}", "ǠAǡaȰOȱo"), ("\u{328}\u{304}", "ǬOǭo"), ("\u{30A}\u{301}", "ǺAǻa"),
        ("\u{30F}", "ȀAȁaȄEȅeȈIȉiȌOȍoȐRȑrȔUȕuѶѴѷѵ"), ("\u{311}", "ȂAȃaȆEȇeȊIȋiȎOȏoȒRȓrȖUȗu"), ("\u{326}", "ȘSșsȚTțt"),
        ("\u{303}\u{304}", "ȬOȭo"), ("\u{325}", "ḀAḁa"),
        ("\u{323}", "ḄBḅbḌDḍdḤHḥhḲKḳkḶLḷlṂMṃmṆNṇnṚRṛrṢSṣsṬTṭtṾVṿvẈWẉwẒZẓzẠAạaẸEẹeỊIịiỌOọoỤUụuỴYỵy"),
        ("\u{331}", "ḆBḇbḎDḏdḴKḵkḺLḻlṈNṉnṞRṟrṮTṯtẔZẕzẖh"), ("\u{327}\u{301}", "ḈCḉc"),
        ("\u{32D}", "ḒDḓdḘEḙeḼLḽlṊNṋnṰTṱtṶUṷu"), ("\u{304}\u{300}", "ḔEḕeṐOṑo"), ("\u{304}\u{301}", "ḖEḗeṒOṓo"),
        ("\u{330}", "ḚEḛeḬIḭiṴUṵu"), ("\u{327}\u{306}", "ḜEḝe"), ("\u{32E}", "ḪHḫh"), ("\u{323}\u{304}", "ḸLḹlṜRṝr"),
        ("\u{303}\u{301}", "ṌOṍoṸUṹu"), ("\u{303}\u{308}", "ṎOṏo"), ("\u{301}\u{307}", "ṤSṥs"),
        ("\u{30C}\u{307}", "ṦSṧs"), ("\u{323}\u{307}", "ṨSṩs"), ("\u{324}", "ṲUṳu"), ("\u{304}\u{308}", "ṺUṻu"),
        ("\u{309}", "ẢAảaẺEẻeỈIỉiỎOỏoỦUủuỶYỷy"), ("\u{302}\u{301}", "ẤAấaẾEếeỐOốo"), ("\u{302}\u{300}", "ẦAầaỀEềeỒOồo"),
        ("\u{302}\u{309}", "ẨAẩaỂEểeỔOổo"), ("\u{302}\u{303}", "ẪAẫaỄEễeỖOỗo"), ("\u{302}\u{323}", "ẬAậaỆEệeỘOộo"),
        ("\u{306}\u{301}", "ẮAắa"), ("\u{306}\u{300}", "ẰAằa"), ("\u{306}\u{309}", "ẲAẳa"), ("\u{306}\u{303}", "ẴAẵa"),
        ("\u{306}\u{323}", "ẶAặa"), ("\u{31B}\u{301}", "ỚOớoỨUứu"), ("\u{31B}\u{300}", "ỜOờoỪUừu"),
        ("\u{31B}\u{309}", "ỞOởoỬUửu"), ("\u{31B}\u{303}", "ỠOỡoỮUữu"), ("\u{31B}\u{323}", "ỢOợoỰUựu"),
        ("\u{313}", "ἀαἈΑἐεἘΕἠηἨΗἰιἸΙὀοὈΟὐυὠωῤρ"), ("\u{314}", "ἁαἉΑἑεἙΕἡηἩΗἱιἹΙὁοὉΟὑυὙΥὡωῥρῬΡ"),
        ("\u{313}\u{300}", "ἂαἊΑἒεἚΕἢηἪΗἲιἺΙὂοὊΟὒυὢω"), ("\u{314}\u{300}", "ἃαἋΑἓεἛΕἣηἫΗἳιἻΙὃοὋΟὓυὛΥὣω"),
        ("\u{313}\u{301}", "ἄαἌΑἔεἜΕἤηἬΗἴιἼΙὄοὌΟὔυὤω"), ("\u{314}\u{301}", "ἅαἍΑἕεἝΕἥηἭΗἵιἽΙὅοὍΟὕυὝΥὥω"),
        ("\u{313}\u{342}", "ἆαἎΑἦηἮΗἶιἾΙὖυὦω"), ("\u{314}\u{342}", "ἇαἏΑἧηἯΗἷιἿΙὗυὟΥὧω"), ("\u{342}", "ᾶαῆηῖιῦυῶω"),
        ("\u{308}\u{342}", "ῗιῧυ"), ("\u{3099}", "ガカダタドトバハベヘ"), ("\u{309A}", "パハペヘ"),
    ]
}

/// The scripts of a name, and whether they go together: "highly restrictive" of Unicode's UTS #39, §5.2, since a Cyrillic `а` in a Latin name
/// is a forgery. Latin may stand beside Chinese, Japanese and Korean; `0` to `9` go with each script; digits are of one kind.
struct ScriptMix {
    /// Scripts that may stand together, each as a bit.
    private static let companies: [UInt8] = [
        bits(ScriptRanges.latin, ScriptRanges.cjk, ScriptRanges.hiragana, ScriptRanges.katakana),
        bits(ScriptRanges.latin, ScriptRanges.cjk, ScriptRanges.bopomofo),
        bits(ScriptRanges.latin, ScriptRanges.cjk, ScriptRanges.hangul),
    ]

    private static func bits(_ scripts: UInt8...) -> UInt8 { scripts.reduce(0) { $0 | 1 << $1 } }

    /// Scripts that may be mixed.
    private var sociable: UInt8 = 0
    /// The script that may not; a second one is a fault.
    private var solitary: UInt8?
    private var hasSeveral = false
    /// The zero of the kind of digits.
    private var zero: UInt32?
    private var hasSeveralZeros = false

    mutating func insert(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "a"..."z", "A"..."Z": sociable |= 1 << ScriptRanges.latin
        case "0"..."9": insert(zero: 0x30)
        default:
            guard !scalar.isASCII else { return }
            insert(script: ScriptRanges.script(of: scalar))
            // The digits of a kind stand in a row, as the standard promises.
            if scalar.properties.generalCategory == .decimalNumber, let value = scalar.properties.numericValue {
                insert(zero: scalar.value - UInt32(value))
            }
        }
    }

    private mutating func insert(script: UInt8) {
        guard script != ScriptRanges.common else { return }
        if script <= ScriptRanges.hangul {
            sociable |= 1 << script
        } else {
            hasSeveral = hasSeveral || solitary.map { $0 != script } ?? false
            solitary = script
        }
    }

    private mutating func insert(zero: UInt32) {
        hasSeveralZeros = hasSeveralZeros || self.zero.map { $0 != zero } ?? false
        self.zero = zero
    }

    /// The fault of the mixture in a sentence; nil for none.
    var fault: String? {
        guard !hasSeveralZeros else { return "A name must use digits of one script." }
        let isOne = !hasSeveral && (solitary == nil || sociable == 0)
        let isCompany = sociable.nonzeroBitCount <= 1 || Self.companies.contains { $0 & sociable == sociable }
        guard !isOne || !isCompany else { return nil }
        return "A name must use letters of one script; Latin may be mixed with Chinese, Japanese or Korean."
    }
}

/// The scripts of the characters that a name may have, as numbers: the first word of a character's Unicode name, whose lookup takes 2 µs a
/// character. A test holds the table against the names.
enum ScriptRanges {
    /// Goes with any script: combining and modifying characters.
    static let common: UInt8 = 0
    static let latin: UInt8 = 1
    static let cjk: UInt8 = 2
    static let hiragana: UInt8 = 3
    static let katakana: UInt8 = 4
    static let bopomofo: UInt8 = 5
    static let hangul: UInt8 = 6

    /// The script of a letter, mark or digit beyond ASCII.
    static func script(of scalar: Unicode.Scalar) -> UInt8 {
        var (low, high) = (0, starts.count)
        let wanted = scalar.value << 8 | 0xFF
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= wanted { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? common : UInt8(truncatingIfNeeded: starts[low - 1])
    }

    /// Where a run of characters of one script begins (the upper bits), and which (the lowest eight), ascending.
    private static let starts: [UInt32] = [
        0xC001, 0x2B900, 0x2C707, 0x2C800, 0x37008, 0x3E209, 0x3F308, 0x4000A, 0x48300, 0x48A0A, 0x5310B, 0x5910C, 0x6100D,
        0x7100E, 0x7500D, 0x7800F, 0x7C010, 0x80011, 0x84012, 0x8600E, 0x8700D, 0x90013, 0x98014, 0xA0115, 0xA8116, 0xB0117,
        0xB8218, 0xC0019, 0xC801A, 0xD001B, 0xD811C, 0xE011D, 0xE811E, 0xF001F, 0x100020, 0x10A021, 0x110006, 0x120022,
        0x13A023, 0x140124, 0x168125, 0x16A026, 0x170027, 0x172028, 0x174029, 0x17602A, 0x17802B, 0x18102C, 0x18B024, 0x19002D,
        0x19502E, 0x19802F, 0x1A0030, 0x1A2031, 0x1AB000, 0x1B0032, 0x1B8033, 0x1BC034, 0x1C0035, 0x1C5036, 0x1C890A, 0x1C9021,
        0x1CD000, 0x1D0001, 0x1D2608, 0x1D2B0A, 0x1D2F00, 0x1D6B01, 0x1DC000, 0x1E0001, 0x1F0008, 0x20D000, 0x212637, 0x212A38,
        0x212B39, 0x21323A, 0x21833B, 0x218401, 0x2C003C, 0x2C6001, 0x2C8009, 0x2D0021, 0x2D303D, 0x2D8022, 0x2DE000, 0x2E2F02,
        0x302E06, 0x303102, 0x303C3E, 0x304103, 0x309900, 0x309D03, 0x30A104, 0x310505, 0x31F004, 0x340002, 0xA0003F, 0xA4D040,
        0xA50041, 0xA6400A, 0xA66F00, 0xA67F0A, 0xA69E00, 0xA6A042, 0xA71700, 0xA72201, 0xA78800, 0xA78B01, 0xA80043, 0xA84044,
        0xA88045, 0xA8E000, 0xA8F213, 0xA90046, 0xA93047, 0xA96006, 0xA98048, 0xA9E020, 0xAA0049, 0xAA6020, 0xAA804A, 0xAAE04B,
        0xAB0122, 0xAB3001, 0xAB6508, 0xAB6601, 0xAB7023, 0xABC04B, 0xAC0006, 0xFA0E02, 0xFB1E0C, 0xFE2000, 0xFE730D, 0x100004C,
        0x101FD4D, 0x102804E, 0x102A04F, 0x102E009, 0x1030050, 0x1033051, 0x1035052, 0x1037600, 0x1038053, 0x103A054, 0x1040055,
        0x1045056, 0x1048057, 0x104B058, 0x1050059, 0x105305A, 0x105705B, 0x105C05C, 0x106004C, 0x1078000, 0x108005D, 0x108405E,
        0x108605F, 0x1088060, 0x108E061, 0x1090062, 0x1092063, 0x1094064, 0x1098065, 0x10A0066, 0x10A6067, 0x10A8068, 0x10AC069,
        0x10B006A, 0x10B406B, 0x10B806C, 0x10C006D, 0x10C806E, 0x10D006F, 0x10D4070, 0x10E8071, 0x10EC20D, 0x10F0072, 0x10F7073,
        0x10FB074, 0x10FE075, 0x1100076, 0x1108077, 0x110D078, 0x1110079, 0x111507A, 0x111807B, 0x112007C, 0x112807D, 0x112B07E,
        0x113007F, 0x1133B00, 0x1133C7F, 0x1136600, 0x1138080, 0x1140081, 0x1148082, 0x1158083, 0x1160084, 0x1168085, 0x116D020,
        0x1170086, 0x1180087, 0x118A088, 0x1190089, 0x119A08A, 0x11A008B, 0x11A508C, 0x11AB024, 0x11AC08D, 0x11B607B, 0x11BC08E,
        0x11C008F, 0x11C7290, 0x11D0091, 0x11D6092, 0x11DB093, 0x11EE094, 0x11F0095, 0x11FB040, 0x1200096, 0x12F9097, 0x1300098,
        0x1440099, 0x161009A, 0x1680042, 0x16A409B, 0x16A709C, 0x16AD09D, 0x16B009E, 0x16D409F, 0x16E40A0, 0x16EA0A1, 0x16F00A2,
        0x16FE0A3, 0x16FE1A4, 0x16FE3A5, 0x16FE4A6, 0x16FF0A7, 0x16FF2A5, 0x17000A3, 0x187F8A8, 0x18800A3, 0x18B00A6, 0x18D00A3,
        0x18D09A8, 0x18D80A3, 0x1AFF004, 0x1B00103, 0x1B002A9, 0x1B11F03, 0x1B12004, 0x1B13203, 0x1B15504, 0x1B170A4, 0x1BC00AA,
        0x1CF00AB, 0x1D165AC, 0x1D24200, 0x1DA00AD, 0x1DF0001, 0x1E00000, 0x1E100AE, 0x1E290AF, 0x1E2C0B0, 0x1E4D0B1, 0x1E5D036,
        0x1E6C0B2, 0x1E7E022, 0x1E800B3, 0x1E900B4, 0x2000002, 0x2B73AA8, 0x2B74002, 0x2CEA2A8, 0x2CEB002, 0x323B0A8,
    ]
}
