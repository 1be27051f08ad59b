import Foundation
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

    @Test func aFileOfPasswordsThatOthersMayRead_isRefused() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "bj-pgpass-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(FileManager.default.createFile(atPath: path, contents: Data("x".utf8), attributes: [.posixPermissions: 0o640]))
        #expect { try DatabaseURL.passwordFile(path) } throws: { "\($0)".contains("chmod 600") }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(try DatabaseURL.passwordFile(path) == Array("x".utf8))
        #expect(throws: DatabaseError.self) { try DatabaseURL.passwordFile("/nowhere/pgpass") }
    }
}
