import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// `GET /explorer` in a real browser.
@Suite(.serialized)
struct ExplorerTests {
    func opened(_ method: String, in browser: Browser, at server: TestServer) async throws {
        try await browser.open("http://127.0.0.1:\(server.port)/explorer#\(method)")
        try await browser.wait(until: "document.getElementById('name').textContent === '\(method)'")
    }

    func signIn(_ browser: Browser) async throws {
        try await browser.click("#sign-in")
        try await browser.type(TestServer.admin, into: "#email")
        try await browser.type(TestServer.password + Browser.Key.enter.code, into: "#password")
        try await browser.wait(until: "!document.getElementById('sign-out').hidden")
    }

    func runs(_ browser: Browser) async throws {
        try await browser.wait(until: "/good|bad/.test(document.getElementById('outcome').className)")
    }

    /// Runs an asynchronous script in the page and returns its result. The script can use `set(path, value)`,
    /// `execute()`, which waits for the response, `open(method)`, `until(what, condition)`, the bodies `sent`, and
    /// `window.answering`, which can delay a call or respond to it.
    @discardableResult
    func script(_ browser: Browser, _ text: String, _ arguments: JSONValue...) async throws -> JSONValue {
        try await browser.run("\(Self.steps); return (async given => { \(text) })(arguments[0])", .array(arguments))
    }

    private static let steps = """
        const by = id => document.getElementById(id);
        const until = async (what, condition) => {
          for (const end = Date.now() + 25_000; !condition();) {
            if (Date.now() > end) throw new Error(`never: ${what}`);
            await new Promise(done => setTimeout(done, 5));
          }
        };
        const at = path => document.querySelector(`[data-path="${path}"]`);
        const change = (input, value) => {
          input.value = value;
          for (const name of ['input', 'change']) input.dispatchEvent(new Event(name, { bubbles: true }));
        };
        const set = (path, value) => change(at(path), value);
        const setJSON = text => { by('as-json').click(); change(by('params'), text); };
        const execute = async () => {
          document.querySelector('#call [type=submit]').click();
          await until('an answer', () => /good|bad/.test(by('outcome').className) || by('form-error').textContent);
        };
        const open = async name => {
          location.hash = `#${name}`;
          await until(name, () => by('name').textContent === name);
        };
        if (!window.sent) {
          window.sent = [];
          const real = window.fetch;
          window.fetch = async (url, options) => {
            if (options?.body) sent.push(options.body);
            return await window.answering?.(options?.body ?? '') ?? real(url, options);
          };
        }
        """

    @Test func `a user signs in, picks fields, runs a call, copies code that runs, and no secret is stored`()
        async throws
    {
        let server = try await TestServer.running()
        let rows = try await Fixtures(server)
        let formateur = try await rows.formateur()
        for tariff in ["1200.50", "80.00"] {
            _ = try await rows.session([("formateur_id", JSONValue(formateur)), ("tarif_client", .number(tariff))])
        }
        let browser = try await Browser()
        try await opened("sessions.list", in: browser, at: server)
        let methods = try await ServiceDescription(of: server).methods
        #expect(
            try await browser.value("document.querySelectorAll('#methods button').length") == JSONValue(methods.count))
        #expect(try await browser.value("document.documentElement.lang") == "fr")

        // The message about a wrong password is beside its input.
        try await browser.click("#sign-in")
        try await browser.type("personne@test.example", into: "#email")
        try await browser.type("pas le bon" + Browser.Key.enter.code, into: "#password")
        try await browser.wait(until: "document.getElementById('login-error').textContent !== ''")
        try await browser.press(.escape)
        try await browser.wait(until: "!document.getElementById('login').open")
        // The event that clears it follows the end of the dialog.
        try await browser.wait(until: "document.getElementById('password').value === ''")
        try await signIn(browser)
        #expect(try await browser.text("who") == "\(TestServer.admin) (admin)")

        for field in ["module", "tarif_client", "formateur"] { try await browser.click("[data-field='\(field)']") }
        try await browser.click("li.relation li [data-field='nom']")
        #expect(
            try await browser.value("document.querySelector('[data-path=\"/select\"]').value")
                == "{ module tarif_client formateur { id nom } }")
        try await browser.type("-tarif_client, id", into: "[data-path='/order_by']")
        try await browser.type("\(rows.mark)", into: "[data-path='/search']")
        try await browser.click("#call [type=submit]")
        try await runs(browser)
        #expect(try await browser.text("outcome").hasPrefix("Réussi · "))
        let cells = try await browser.value("[...document.querySelectorAll('#table tr')].map(r => r.innerText)").array
        #expect(
            cells.compactMap(\.text) == [
                "module\ttarif_client\tformateur.id\tformateur.nom",
                "Module \(rows.mark)\t1200.50\t\(formateur)\tDupré \(rows.mark)",
                "Module \(rows.mark)\t80.00\t\(formateur)\tDupré \(rows.mark)",
            ])
        try await browser.click("#views label:last-child")
        #expect(try await browser.text("answer").contains("\"tarif_client\": 1200.50"))

        try await code(in: browser, finds: rows.mark)

        // Calls are in the history after a reload, without secrets, and can be sent again.
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

    /// Runs the texts of the code tab unchanged, with the token in them and without it.
    private func code(in browser: Browser, finds word: String) async throws {
        try await browser.click("#tab-code")
        let token = try await browser.value("JSON.parse(sessionStorage.getItem('explorer.tokens')).access_token").text
        for environment in [[:], ["TOKEN": token ?? ""]] {
            try await browser.click("[role=radiogroup] label:has([value=curl])")
            let curl = try await browser.text("code")
            #expect(curl.contains(token ?? "-") == environment.isEmpty)
            let shell = try await ExternalProgram.run("/bin/sh", ["-c", curl], environment: environment)
            #expect(
                try JSONValue.parse(Array(shell.output.utf8)).at("/result/items").array.count == 2, "\(shell.errors)")
            try await browser.click("[role=radiogroup] label:has([value=Python])")
            let python = try await ExternalProgram.run(
                "/usr/bin/python3", ["-c", try await browser.text("code")], environment: environment)
            #expect(try JSONValue.parse(Array(python.output.utf8)).at("/items").array.count == 2, "\(python.errors)")
            try await browser.click("#with-token")
        }
        try await browser.click("[role=radiogroup] label:has([value=JavaScript])")
        let scratch = try TemporaryFolder()
        let module = try scratch.write(
            "\(try await browser.text("code"))\nconsole.log(result.items.length)", to: "call.mjs")
        let node = try await ExternalProgram.run(
            ExternalProgram.first(of: ["/usr/bin/node", "/usr/local/bin/node"]), [module.path])
        #expect(node.output.hasSuffix("\n2\n"), "\(node.errors)")
    }
}
