import Testing

@testable import Postgres

struct URLTests {
    @Test func aURLNamesUserHostsAndDatabase() throws {
        let url = try DatabaseURL("postgres://b%40j@db1:5433,[::1]:6000,db3/house")
        #expect(url.user == "b@j")
        #expect(url.database == "house")
        #expect(url.hosts.map(\.description) == ["db1:5433", "[::1]:6000", "db3:5432"])
        let local = try DatabaseURL("postgresql://bj@/?host=/run/postgresql&port=6000")
        #expect(local.hosts.map(\.description) == ["/run/postgresql/.s.PGSQL.6000"])
        #expect(local.database == "bj")
        #expect(try DatabaseURL("postgres://bj@%2Frun%2Fpg/x?sslmode=disable").hosts.first?.isFolder == true)
    }

    @Test(arguments: [
        ("postgres://bj:secret@db/x", "PGPASSFILE"), ("postgres://db/x", "no user"),
        ("postgres://bj@db/x?sslmode=require", "proxy"),
        ("postgres://bj@db/x?password=secret", "PGPASSFILE"), ("postgres://bj@db/x?colour=red", "colour"),
        ("postgres://bj@/x", "hosts"), ("postgres://bj@db/x?require_auth=md5", "scram-sha-256"),
        ("postgres://bj@db/x?require_auth=password,scram-sha-256", "scram-sha-256"),
        ("postgres://bj@db/x?require_auth=!none", "scram-sha-256"),
        ("postgres://bj@db:0/x", "db:0"), ("postgres://bj@db:99999/x", "99999"), ("postgres://bj@d%zzb/x", "hexadecimal"),
        ("postgres://bj@d%00b/x", "NUL"), ("mysql://bj@db/x", "postgres://"),
        ("postgres://bj@" + String(repeating: "h,", count: 17) + "h/x", "hosts"),
    ])
    func aURLThatIsWrong_isRefusedWithWords(_ text: String, _ word: String) {
        #expect {
            try DatabaseURL(text)
        } throws: { error in
            "\(error)".contains(word) && !"\(error)".contains("secret")
        }
    }

    @Test func aPasswordIsFoundInItsFile() {
        let file = Array(
            """
            # a comment
            other:5432:house:bj:no
            db1:*:ho\\:use:bj:a\\:b\\\\c
            *:*:*:*:rest

            """.utf8)
        #expect(DatabaseURL.password(in: file, for: [["db1"], ["5432"], ["ho:use"], ["bj"]]) == Array("a:b\\c".utf8))
        #expect(DatabaseURL.password(in: file, for: [["db2"], ["5432"], ["house"], ["bj"]]) == Array("rest".utf8))
        #expect(DatabaseURL.password(in: Array("a:b:c".utf8), for: [["a"], ["b"], ["c"], ["d"]]) == nil)
    }
}

struct SCRAMTests {
    /// RFC 7677, section 3.
    private static let first = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
    private static let proof =
        "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
    private static let verifier = "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="

    private func client() -> SCRAM { SCRAM(password: Array("pencil".utf8), nonce: "rOprNGfwEbeRWgbNEkqO", user: "user") }

    @Test func theExchangeOfTheStandard_isMadeByteForByte() throws {
        var client = client()
        #expect(client.first == Array("n,,n=user,r=rOprNGfwEbeRWgbNEkqO".utf8))
        #expect(try String(decoding: client.response(to: Array(Self.first.utf8)), as: UTF8.self) == Self.proof)
        try client.check(Array(Self.verifier.utf8))
    }

    @Test func aServerWithoutThePassword_isRefused() throws {
        var client = client()
        #expect(throws: SCRAM.Refusal.self) { try client.check(Array(Self.verifier.utf8)) }
        _ = try client.response(to: Array(Self.first.utf8))
        for wrong in ["v=7rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=", "v=", "e=other-error", "", Self.verifier + "x"] {
            #expect(throws: SCRAM.Refusal.self, "\(wrong)") { try client.check(Array(wrong.utf8)) }
        }
    }

    @Test(arguments: [
        "r=another%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
        "r=rOprNGfwEbeRWgbNEkqO,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
        "r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ=,i=4096",
        "r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=1",
        "r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=99999999999",
        "m=ext,r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096", "e=unknown-user", "",
    ])
    func aPartOfTheServerThatIsNotAsTheStandardSays_isRefused(_ text: String) {
        var client = client()
        #expect(throws: SCRAM.Refusal.self) { try client.response(to: Array(text.utf8)) }
    }

    /// RFC 4648, section 10.
    @Test func base64_isThatOfTheStandard_andEachValueHasOneText() {
        for (text, code) in [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            #expect(Base64.encode(Array(text.utf8)) == code)
            #expect(Base64.decode(code.utf8) == Array(text.utf8))
        }
        for wrong in ["Zg", "Zg=", "Zh==", "Z===", "====", "Zm9v=", "Zm 9v", "Zm9-"] {
            #expect(Base64.decode(wrong.utf8) == nil, "\(wrong)")
        }
    }

    /// Texts that SASLprep leaves, maps, or cannot prepare without Unicode's tables.
    @Test func aPassword_isPreparedByRFC4013() throws {
        func prepared(_ text: String) throws -> String {
            String(decoding: try SASLprep.prepared(Array(text.utf8)), as: UTF8.self)
        }
        // RFC 4013, section 3, and what PostgreSQL does with text that is prohibited.
        #expect(try prepared("I\u{AD}X") == "IX")
        for same in [
            "user", "USER", "a\u{7}b", "\u{7}\u{A0}", "\u{627}1\u{A0}\u{E000}", "Stra\u{DF}e \u{C4}\u{3C2}", "\u{E01}\u{E38}",
            "\u{1F600}\u{A0}", "\u{AD}",
        ] {
            #expect(try Array(prepared(same).unicodeScalars) == Array(same.unicodeScalars), "\(same.debugDescription)")
        }
        #expect(try prepared("a\u{A0}\u{3000}b\u{200B}") == "a  b ")
        #expect(try SASLprep.prepared([0xC3, 0x28, 0xA0]) == [0xC3, 0x28, 0xA0])
        for changed in [
            "\u{AA}", "\u{2168}", "\u{FB01}", "\u{FF21}", "a\u{308}", "\u{212B}", "\u{3F4}", "\u{1E63}\u{307}\u{323}",
            "\u{1100}\u{1161}", "\u{627}\u{A0}",
        ] {
            #expect(throws: SASLprep.Refusal.self, "\(changed.debugDescription)") { try prepared(changed) }
        }
    }
}
