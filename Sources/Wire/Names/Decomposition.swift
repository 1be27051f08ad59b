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
