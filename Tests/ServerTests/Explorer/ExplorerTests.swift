import Auth
import Crypto
import DomainKit
import Foundation
import TestPostgres
import Testing

/// `GET /` in a real browser.
@Suite("The explorer", .serialized)
struct ExplorerTests {
    private func opened(_ method: String, in browser: Browser, at server: TestServer) async throws {
        try await browser.open("http://127.0.0.1:\(server.port)/#\(method)")
        try await browser.wait(until: "document.getElementById('name').textContent === '\(method)'")
    }

    private func signIn(_ browser: Browser) async throws {
        try await browser.click("#sign-in")
        try await browser.type(TestServer.admin, into: "#email")
        try await browser.type(TestServer.password + Browser.Key.enter.code, into: "#password")
        try await browser.wait(until: "!document.getElementById('sign-out').hidden")
    }

    private func runs(_ browser: Browser) async throws {
        try await browser.wait(until: "/good|bad/.test(document.getElementById('outcome').className)")
    }

    @Test("signs in, picks fields, runs, shows rows, gives code that runs, and remembers no secret")
    func journey() async throws {
        let server = try await TestServer.running()
        let rows = try await Fixtures(server)
        let formateur = try await rows.formateur()
        for tariff in ["1200.50", "80.00"] {
            _ = try await rows.session([("formateur_id", JSON(formateur)), ("tarif_client", .number(tariff))])
        }
        let browser = try await Browser()
        try await opened("sessions.list", in: browser, at: server)
        let methods = try await ServiceDescription(of: server).methods
        #expect(try await browser.value("document.querySelectorAll('#methods button').length") == JSON(methods.count))
        #expect(try await browser.value("document.documentElement.lang") == "fr")

        // A wrong password is told where it was typed.
        try await browser.click("#sign-in")
        try await browser.type("personne@test.example", into: "#email")
        try await browser.type("pas le bon" + Browser.Key.enter.code, into: "#password")
        try await browser.wait(until: "document.getElementById('login-error').textContent !== ''")
        try await browser.press(.escape)
        try await browser.wait(until: "!document.getElementById('login').open")
        #expect(try await browser.value("document.getElementById('password').value") == "", "it is forgotten")
        try await signIn(browser)
        #expect(try await browser.text("who") == "\(TestServer.admin) (admin)")

        for field in ["module", "tarif_client", "formateur"] { try await browser.click("[data-field='\(field)']") }
        try await browser.click("li.relation li [data-field='nom']")
        #expect(
            try await browser.value("document.querySelector('[data-path=\"/select\"]').value")
                == "{ module tarif_client formateur { nom } }")
        try await browser.type(#"["-tarif_client"]"#, into: "[data-path='/order_by']")
        try await browser.type("\(rows.mark)", into: "[data-path='/search']")
        try await browser.click("#call [type=submit]")
        try await runs(browser)
        #expect(try await browser.text("outcome").hasPrefix("Réussi · "))
        let cells = try await browser.value("[...document.querySelectorAll('#table tr')].map(r => r.innerText)").array
        #expect(
            cells.compactMap(\.text) == [
                "module\ttarif_client\tformateur.nom", "Module \(rows.mark)\t1200.50\tDupré \(rows.mark)",
                "Module \(rows.mark)\t80.00\tDupré \(rows.mark)",
            ])
        try await browser.click("#views label:last-child")
        #expect(try await browser.text("answer").contains("\"tarif_client\": 1200.50"))

        try await code(in: browser, finds: rows.mark)

        // What was called is there after a reload, without secrets, and can be called again.
        let kept = try await browser.value("JSON.stringify(localStorage)").text ?? ""
        #expect(kept.contains(rows.mark))
        for secret in [TestServer.password, "access_token", "refresh_token", "eyJ"] { #expect(!kept.contains(secret)) }
        try await browser.run("location.reload()")
        try await opened("sessions.list", in: browser, at: server)
        try await browser.click("#tab-history")
        try await browser.click("#history button")
        #expect(
            try await browser.value("document.querySelector('[data-path=\"/search\"]').value") == .string(rows.mark))
        try await browser.click("#tab-history")
        try await browser.click("#forget")
        #expect(try await browser.value("document.querySelectorAll('#history button').length") == 0)
        try await browser.click("#sign-out")
        #expect(try await browser.value("sessionStorage.getItem('explorer.tokens')") == .null)

        let own = "http://127.0.0.1:\(server.port)/"
        let requests = try await browser.requests()
        #expect(requests.count > 5)
        #expect(requests.filter { !$0.hasPrefix(own) && !$0.hasPrefix("data:") } == [])
        #expect(try await browser.console() == [])
        try await browser.close()
    }

    /// The code tab's texts, run as they stand.
    private func code(in browser: Browser, finds word: String) async throws {
        try await browser.click("#tab-code")
        let token = try await browser.value("JSON.parse(sessionStorage.getItem('explorer.tokens')).access_token").text
        let environment = ["TOKEN": token ?? ""]
        let curl = try await browser.text("code")
        #expect(!curl.contains(token ?? "-"), "a token is not for copies")
        let shell = try await ExternalProgram.run("/bin/sh", ["-c", curl], environment: environment)
        #expect(try JSON.parse(Array(shell.output.utf8)).at("/result/items").array.count == 2, "\(shell.errors)")
        try await browser.click("[role=radiogroup] label:has([value=JavaScript])")
        let script =
            "const TOKEN = process.env.TOKEN;\n\(try await browser.text("code"))\nconsole.log(result.items.length)"
        let scratch = try Scratch()
        let module = try scratch.write(script, to: "call.mjs")
        let node = try await ExternalProgram.run(
            ExternalProgram.first(of: ["/usr/bin/node", "/usr/local/bin/node"]), [module.path],
            environment: environment)
        #expect(node.output == "2\n", "\(node.errors)")
        try await browser.click("[role=radiogroup] label:has([value=Python])")
        let python = try await ExternalProgram.run(
            "/usr/bin/python3", ["-c", "\(try await browser.text("code"))\nprint(len(answer['result']['items']))"],
            environment: environment)
        #expect(python.output == "2\n", "\(python.errors)")
    }

    @Test("is used with the keyboard alone; a mistake is told at its field")
    func keyboard() async throws {
        let server = try await TestServer.running()
        let browser = try await Browser()
        try await opened("auth.me", in: browser, at: server)
        let focus = "document.activeElement.id"
        try await browser.press(.tab)
        #expect(try await browser.value("document.activeElement.className") == "skip")
        try await browser.press(.tab)
        #expect(try await browser.value(focus) == "sign-in")
        try await browser.press(.enter)
        #expect(try await browser.value(focus) == "email")
        let own = TestServer.admin.map { Browser.Key.character(String($0)) }
        for key in own { try await browser.press(key) }
        try await browser.press(.tab)
        for key in TestServer.password { try await browser.press(.character(String(key))) }
        try await browser.press(.enter)
        try await browser.wait(until: "!document.getElementById('sign-out').hidden")
        #expect(try await browser.value(focus) == "sign-out")

        try await browser.press(.character("/"))
        #expect(try await browser.value(focus) == "filter")
        for key in "creee session" { try await browser.press(.character(String(key))) }
        #expect(try await browser.value("document.querySelectorAll('#methods button').length") == 0)
        #expect(try await browser.text("found") == "0 méthode")
        try await browser.run("document.getElementById('filter').value = ''")
        for key in "cree session" { try await browser.press(.character(String(key))) }
        try await browser.press(.enter)
        try await browser.wait(until: "document.getElementById('name').textContent === 'sessions.create'")
        #expect(try await browser.value(focus) == "main")

        try await browser.run("document.querySelector('[data-path=\"/values/tarif_client\"]').focus()")
        for key in "-5" { try await browser.press(.character(String(key))) }
        try await browser.press(.controlEnter)
        try await runs(browser)
        #expect(try await browser.text("outcome").hasPrefix("Erreur −32602 · "))
        let told = try await browser.run(
            """
            const input = document.querySelector('[data-path="/values/tarif_client"]');
            const notes = input.getAttribute('aria-describedby').split(' ').map(id => document.getElementById(id).textContent);
            return [input.getAttribute('aria-invalid'), notes[0], document.querySelectorAll('[aria-invalid]').length];
            """)
        #expect(told[0] == "true")
        #expect(told[1] == "Donnez un nombre supérieur ou égal à 0.")
        #expect(told[2] == 6, "the five required ones too")
        #expect(try await browser.value("document.querySelectorAll('#problems li').length") == 6)

        // Methods are pages: one goes back and forth between them, and to the one that the address names.
        for (way, name) in [
            ("history.back()", "auth.me"), ("history.forward()", "sessions.create"),
            ("location.hash = '#clients.get'", "clients.get"), ("history.back()", "sessions.create"),
        ] {
            try await browser.run(way)
            try await browser.wait(until: "document.getElementById('name').textContent === '\(name)'")
        }

        // One stop for all tabs, arrows between them.
        try await browser.run("document.getElementById('tab-answer').focus()")
        try await browser.press(.right)
        #expect(try await browser.value(focus) == "tab-code")
        #expect(try await browser.value("document.getElementById('panel-code').hidden") == false)
        try await browser.close()
    }

    @Test("can be read: light and dark, wide and at 360 px, by eye and by screen reader")
    func legible() async throws {
        let server = try await TestServer.running()
        let browser = try await Browser()
        try await opened("sessions.create", in: browser, at: server)
        try await signIn(browser)
        try await browser.click("#call [type=submit]")
        try await runs(browser)
        for dark in [false, true] {
            try await browser.prefer(dark: dark)
            // Colours change over a moment.
            try await eventually("nothing moves") {
                try await browser.value("document.getAnimations().length") == 0
            }
            let ground = try await browser.value("getComputedStyle(document.body).backgroundColor").text ?? ""
            #expect(ground == (dark ? "rgb(15, 18, 24)" : "rgb(246, 247, 249)"))
            for tab in ["answer", "code", "history", "reference"] {
                try await browser.run("document.getElementById('tab-\(tab)').click()")
                try await eventually("nothing moves") {
                    try await browser.value("document.getAnimations().length") == 0
                }
                let faint = try await browser.run(Self.faintTexts).array
                #expect(faint == [], "\(dark ? "dark" : "light"), \(tab): \(faint.map(\.json))")
            }
        }
        #expect(try await browser.run(Self.unnamed).array == [])
        for width in [360, 768, 1280] {
            try await browser.emulate(width: width, height: 740)
            let overflow = try await browser.value("document.documentElement.scrollWidth - innerWidth").int ?? 1
            #expect(overflow <= 0, "at \(width) px")
        }
        // What the person has chosen beats the system.
        try await browser.emulate(width: 1280, height: 800)
        try await browser.run("document.getElementById('theme').click()")
        #expect(try await browser.value("document.documentElement.dataset.theme") == "light")
        #expect(try await browser.console() == [])
        try await browser.close()
    }

    @Test("a mailed link leads to a form for the new password, once, and leaves its token nowhere")
    func resetLink() async throws {
        let server = try await TestServer.running()
        let rows = try await Fixtures(server)
        let email = "\(rows.mark)@test.example"
        let account = try #require(
            try await rows.client.call("users.create", ["values": ["email": .string(email)]])["id"]?.int)
        let secret = (0..<32).map { _ in UInt8.random(in: 0...255) }
        let hash = SHA256.hash(data: secret).map { String(format: "%02x", $0) }.joined()
        try await server.database.psql(
            "INSERT INTO password_resets (token_hash, user_id, email) VALUES ('\\x\(hash)', \(account), '\(email)')")
        let link = "http://127.0.0.1:\(server.port)/#reset=\(Base64URL.encode(secret))"
        let browser = try await Browser()
        try await opened("sessions.list", in: browser, at: server)
        let length = try await browser.value("history.length")
        // In the page that is open, as when somebody pastes it there.
        try await browser.run("location.replace('\(link)')")
        try await browser.wait(until: "document.getElementById('choose').open")
        #expect(try await browser.value("location.href").text == "http://127.0.0.1:\(server.port)/")
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
        // It opened by itself this time, from the mail, and is good no more.
        try await browser.open("about:blank")
        try await browser.open(link)
        try await browser.wait(until: "document.getElementById('choose').open")
        try await browser.type(password + Browser.Key.enter.code, into: "#choose-password")
        try await browser.wait(until: "document.getElementById('choose-error').textContent.includes('nouveau lien')")
        try await browser.press(.escape)
        #expect(try await browser.value("document.getElementById('choose-password').value") == "")
        #expect(try await browser.console() == [])
        try await browser.close()
    }

    /// Texts whose contrast with what is behind them is under WCAG's 4.5, with that contrast.
    private static let faintTexts = """
        const parts = colour => (colour.match(/[\\d.]+/g) ?? []).map(Number);
        const light = ([r, g, b]) => [r, g, b].map(c => c / 255)
          .map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
          .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
        const behind = element => {
          for (let at = element; at; at = at.parentElement) {
            const colour = parts(getComputedStyle(at).backgroundColor);
            if (colour.length === 3 || colour[3] === 1) return colour;
          }
          return [255, 255, 255];
        };
        const faint = [];
        for (const element of document.body.querySelectorAll('*')) {
          const isText = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
          if (!isText || !element.checkVisibility() || element.closest('script, style, .unseen, .skip, option')) continue;
          const [one, other] = [light(parts(getComputedStyle(element).color)), light(behind(element))];
          const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
          if (contrast < 4.5) faint.push([element.tagName, element.className, element.textContent.slice(0, 30), contrast]);
        }
        return faint;
        """

    /// What a screen reader could not name, and ids that are there twice.
    private static let unnamed = """
        const faults = [...document.querySelectorAll('input, select, textarea')]
          .filter(one => !one.labels?.length && !one.getAttribute('aria-label')).map(one => one.outerHTML.slice(0, 80));
        for (const button of document.querySelectorAll('button')) {
          if (!(button.getAttribute('aria-label') || button.textContent.trim())) faults.push(button.outerHTML.slice(0, 80));
        }
        const ids = [...document.querySelectorAll('[id]')].map(one => one.id);
        faults.push(...ids.filter((id, index) => ids.indexOf(id) !== index));
        for (const attribute of ['aria-controls', 'aria-labelledby', 'aria-describedby', 'for']) {
          for (const one of document.querySelectorAll(`[${attribute}]`)) {
            for (const id of one.getAttribute(attribute).split(' ')) if (!document.getElementById(id)) faults.push(`${attribute} ${id}`);
          }
        }
        if (document.querySelectorAll('main').length !== 1 || !document.querySelector('nav[aria-label]')) faults.push('landmarks');
        if (!document.querySelector('#outcome[role=status]')) faults.push('outcomes are not told');
        return faults;
        """
}
