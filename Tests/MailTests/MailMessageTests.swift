import Testing

@testable import Mail

struct MailMessageTests {
    @Test(arguments: [
        ("anne@exemple.fr", "anne@exemple.fr", nil), ("  LearnTrack <a@b.fr> ", "a@b.fr", "LearnTrack"),
        ("\"Formation, Été\" <a@b.fr>", "a@b.fr", "Formation, Été"), ("<a@b.fr>", "a@b.fr", nil),
        ("a@b.fr\r\nBcc: x@y.fr", nil, nil), ("a@b.fr\nBcc: x@y.fr", nil, nil), ("a@b.fr>,<x@y.fr", nil, nil),
        ("a b@c.fr", nil, nil), ("a@b@c.fr", nil, nil), ("@c.fr", nil, nil), ("a@", nil, nil), ("", nil, nil),
        ("X\r\nBcc: x@y.fr <a@b.fr>", nil, nil), ("a@b.fr,x@y.fr", nil, nil), ("a\u{2028}@b.fr", nil, nil),
    ])
    func `addresses with and without names are read, and none that could end a line or an address is accepted`(
        text: String, address: String?, name: String?
    ) {
        let read = MailAddress(text)
        #expect(read?.address == address)
        #expect(read?.name == name)
    }

    @Test func `a long subject beyond ASCII becomes encoded words of whole characters that fit their lines`() {
        let encoded = EncodedWords.encode("Réinitialisation de votre mot de passe LearnTrack, où que vous soyez 👩🏽‍🏫")
        let lines = encoded.split(separator: "\r\n ")
        #expect(lines.count > 1)
        #expect(lines.allSatisfy { $0.utf8.count <= 75 && $0.hasPrefix("=?UTF-8?B?") && $0.hasSuffix("?=") })
        #expect(EncodedWords.encode("Bonjour") == "Bonjour")
        #expect(EncodedWords.encode("é") == "=?UTF-8?B?w6k=?=")
        #expect(EncodedWords.encode("Bonjour\r\nBcc: x@y.fr") == "Bonjour  Bcc: x@y.fr")
    }

    @Test func `quoted-printable text has lines of printable ASCII of at most 76 characters`() {
        #expect(QuotedPrintable.encode("é = 1 ") == "=C3=A9 =3D 1=20\r\n")
        let long = QuotedPrintable.encode(String(repeating: "où ", count: 100) + "\nfin")
        #expect(long.split(separator: "\r\n").allSatisfy { $0.utf8.count <= 76 })
        #expect(long.hasSuffix("=20\r\nfin\r\n"))
        #expect(long.utf8.allSatisfy { $0 == 13 || $0 == 10 || (32...126).contains($0) })
    }

    @Test(arguments: [
        ("smtp://mail.exemple.fr", SMTPServer.Encryption.offered), ("smtp://u:p@mail.exemple.fr:587", .required),
        ("smtp://u:p@127.0.0.1:2525", .offered), ("smtp://u:p@localhost", .offered),
        ("smtps://u:p%40ss@mail.exemple.fr", .always), ("smtp://u:p@mail.exemple.fr?starttls=never", .never),
        ("smtp://127.0.0.1?starttls=required", .required),
    ])
    func `a password goes to a remote server only over an encrypted connection, unless the URL says otherwise`(
        url: String, expected: SMTPServer.Encryption
    ) throws {
        #expect(try SMTPServer(url).encryption == expected)
    }

    @Test(arguments: [
        "", "mail.exemple.fr", "http://mail.exemple.fr", "smtp://", "smtp://h/x", "smtp://h?tls=1",
        "smtp://h?starttls=x",
    ])
    func `a text that is not the URL of a mail server is rejected`(url: String) {
        #expect(throws: SMTPServerError.self) { try SMTPServer(url) }
    }

    @Test func `user and password may hold any character in percent-encoding`() throws {
        let server = try SMTPServer("smtp://anne%40exemple.fr:p%3A%2F@h:25")
        #expect(server.user == "anne@exemple.fr")
        #expect(server.password == "p:/")
        #expect(server.url == "smtp://h:25")
    }
}
