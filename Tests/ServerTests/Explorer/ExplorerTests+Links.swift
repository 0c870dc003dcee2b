import Auth
import Crypto
import DomainKit
import Foundation
import JSON
import TestPostgres
import Testing
import TextEncodings

extension ExplorerTests {
    @Test func `a mailed link opens a form for a new password once and leaves its token nowhere`() async throws {
        let server = try await TestServer.running()
        let rows = try await Fixtures(server)
        let email = "\(rows.mark)@test.example"
        let account = try #require(
            try await rows.client.call("users.create", ["values": ["email": .string(email)]])["id"]?.int)
        let secret = (0..<32).map { _ in UInt8.random(in: 0...255) }
        let hash = SHA256.hash(data: secret).map { String(format: "%02x", $0) }.joined()
        try await server.database.psql(
            "INSERT INTO password_resets (token_hash, user_id, email) VALUES ('\\x\(hash)', \(account), '\(email)')")
        let link = "http://127.0.0.1:\(server.port)/explorer#reset=\(Base64URL.encode(secret))"
        let browser = try await Browser()
        try await opened("sessions.list", in: browser, at: server)
        let length = try await browser.value("history.length")
        // In a page that is open, as when the link is pasted into the address bar.
        try await browser.run("location.replace('\(link)')")
        try await browser.wait(until: "document.getElementById('choose').open")
        #expect(try await browser.value("location.href").text == "http://127.0.0.1:\(server.port)/explorer")
        #expect(try await browser.value("history.length") == length)
        #expect(try await browser.value("document.getElementById('choose-email-field').hidden") == true)
        try await browser.type("court" + Browser.Key.enter.code, into: "#choose-password")
        try await browser.wait(until: "document.getElementById('choose-error').textContent.includes('10')")
        let password = "un tout nouveau mot de passe"
        try await browser.run("document.getElementById('choose-password').value = ''")
        try await browser.type(password + Browser.Key.enter.code, into: "#choose-password")
        try await browser.wait(until: "document.getElementById('login').open")
        #expect(try await browser.text("login-note").contains("connectez-vous"))
        try await browser.type(email, into: "#email")
        try await browser.type(password + Browser.Key.enter.code, into: "#password")
        try await browser.wait(until: "!document.getElementById('sign-out').hidden")
        #expect(
            try await browser.value("JSON.stringify([localStorage, history.state])").text?.contains(password) == false)
        // The link from the mail opens the page, and has been used already.
        try await browser.open("about:blank")
        try await browser.open(link)
        try await browser.wait(until: "document.getElementById('choose').open")
        try await browser.type(password + Browser.Key.enter.code, into: "#choose-password")
        try await browser.wait(until: "document.getElementById('choose-error').textContent.includes('nouveau lien')")
        try await browser.press(.escape)
        // The dialog is emptied by its close event, which comes a moment after the key.
        try await browser.wait(until: "document.getElementById('choose-password').value === ''")
        #expect(try await browser.console() == [])
        try await browser.close()
    }
}
