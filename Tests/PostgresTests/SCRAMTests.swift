import Testing

@testable import Postgres

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
}
