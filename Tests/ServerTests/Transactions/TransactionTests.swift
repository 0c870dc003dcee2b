import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

/// `transaction.run` executes all of its calls or none.
@Suite struct TransactionRunTests {
    private static func call(_ method: String, _ params: JSONValue, as name: String? = nil) -> JSONValue {
        .merging([("method", .string(method)), ("params", params)] + (name.map { [("as", .string($0))] } ?? []))
    }

    /// A client, a trainer, and a session with both, which is then changed.
    private func calls(_ rows: Fixtures, date: JSONValue = "2026-01-12") -> JSONValue {
        [
            Self.call(
                "clients.create",
                ["values": ["raison_sociale": .string("Société \(rows.mark)")], "select": "{ id sessions { id } }"],
                as: "client"),
            Self.call(
                "formateurs.create", ["values": ["prenom": "Élodie", "nom": .string("Dupré \(rows.mark)")]], as: "A_1"),
            Self.call(
                "sessions.create",
                [
                    "values": .merging(
                        Fixtures.session(module: "Module \(rows.mark)")
                            + [
                                ("date", date), ("client_id", ["$ref": "client.id"]),
                                ("formateur_id", ["$ref": "A_1.id"]),
                            ]), "select": "{ id client { raison_sociale } formateur { nom } }",
                ], as: "session"),
            Self.call(
                "sessions.update",
                [
                    "id": ["$ref": "session.id"], "values": ["lieu": "Lyon"], "if_version": 1,
                    "select": "{ id lieu version }",
                ]),
        ]
    }

    private func count(_ rows: Fixtures) async throws -> [JSONValue] {
        var counts: [JSONValue] = []
        for table in ["clients", "formateurs", "sessions"] {
            let page = try await rows.client.call(
                "\(table).list", ["search": .string(rows.mark), "count": true, "select": "{ id }"])
            counts.append(page["total"] ?? .null)
        }
        return counts
    }

    @Test func `calls refer to the records of earlier calls, and each has its result`() async throws {
        let rows = try await Fixtures()
        let answer = try await rows.client.call("transaction.run", ["calls": calls(rows)])
        let results = answer.at("/results").array
        #expect(results.count == 4)
        #expect(results[0].at("/sessions") == [])
        #expect(results[2].at("/client/raison_sociale") == .string("Société \(rows.mark)"))
        #expect(results[2].at("/formateur/nom") == .string("Dupré \(rows.mark)"))
        #expect(results[3] == ["id": results[2].at("/id"), "lieu": "Lyon", "version": 2])
        #expect(try await count(rows) == [1, 1, 1])
        let history = try await rows.client.call("sessions.history", ["id": results[2].at("/id")])
        #expect(history.at("/items").array.compactMap { $0["operation"]?.text } == ["update", "create"])
    }

    @Test func `when a call fails none has happened`() async throws {
        let rows = try await Fixtures()
        let failing: [(JSONValue, Int, JSONValue)] = [
            (Self.call("sessions.delete", ["id": 999_999_999]), 404, "/calls/4"),
            (Self.call("clients.delete", ["id": ["$ref": "client.id"]]), 409, "/calls/4"),
            (
                Self.call("sessions.update", ["id": ["$ref": "session.id"], "values": ["lieu": "x"], "if_version": 1]),
                409, "/calls/4"
            ),
        ]
        for (call, code, path) in failing {
            let all = JSONValue.array(calls(rows).array + [call])
            let error = try await rows.client.refusal("transaction.run", ["calls": all])
            #expect(error["code"] == JSONValue(code), "\(error.json)")
            #expect(error.at("/data/path") == path)
            #expect(try await count(rows) == [0, 0, 0])
        }
        let missing = JSONValue.array(
            calls(rows).array
                + [Self.call("sessions.update", ["id": ["$ref": "session.id"], "values": ["ecole_id": 999_999_999]])])
        let error = try await rows.client.refusal("transaction.run", ["calls": missing])
        #expect(error["code"] == -32602)
        #expect(error.at("/data/errors/0/path") == "/calls/4/params/values/ecole_id")
        #expect(error.at("/data/errors").array.count == 1)
        #expect(try await count(rows) == [0, 0, 0])
    }

    @Test func `a version conflict of a call shows the record and names the call`() async throws {
        let rows = try await Fixtures()
        let id = try await rows.ecole()
        let first = Self.call("ecoles.update", ["id": JSONValue(id), "values": ["ville": "Lyon"]], as: "e")
        for identifier: JSONValue in [JSONValue(id), ["$ref": "e.id"]] {
            let second = Self.call("ecoles.delete", ["id": identifier, "if_version": 7])
            let error = try await rows.client.refusal("transaction.run", ["calls": [first, second]])
            #expect(error["code"] == 409)
            #expect(error.at("/data/reason") == "version")
            #expect(error.at("/data/path") == "/calls/1")
            #expect(error.at("/data/current/id") == JSONValue(id))
            #expect(error.at("/data/current/version") == 1)
        }
    }

    @Test func `a version that an earlier call of the transaction has changed is a conflict that says so`() async throws
    {
        let rows = try await Fixtures()
        let (id, session) = (JSONValue(try await rows.ecole()), JSONValue(try await rows.session()))
        let change = Self.call("ecoles.update", ["id": id, "values": ["ville": "Lyon"]], as: "e")
        let move = Self.call("sessions.decaler", ["id": session, "date": "2026-05-04"], as: "s")
        let create = Self.call("ecoles.create", ["values": ["nom": .string("École \(rows.mark)")]], as: "n")
        let (update, values): (String, (String, JSONValue)) = ("ecoles.update", ("values", ["ville": "Nice"]))
        for (first, second, version) in [
            (change, Self.call(update, .merging([("id", id), values, ("if_version", 1)])), 2),
            (change, Self.call(update, .merging([("id", ["$ref": "e.id"]), values, ("if_version", 1)])), 2),
            (change, Self.call(update, ["id": id, "values": [:], "if_version": 1]), 2),
            (change, Self.call("ecoles.delete", ["id": id, "if_version": 1]), 2),
            (create, Self.call(update, .merging([("id", ["$ref": "n.id"]), values, ("if_version", 2)])), 1),
            (create, Self.call("ecoles.delete", ["id": ["$ref": "n.id"], "if_version": 2]), 1),
            (move, Self.call("sessions.decaler", ["id": session, "date": "2026-05-05", "if_version": 1]), 2),
        ] {
            for dryRun in [false, true] {
                let error = try await rows.client.refusal(
                    "transaction.run", ["calls": [first, second], "dry_run": .bool(dryRun)])
                #expect(error["code"] == 409, "\(second.json): \(error.json)")
                #expect(error.at("/data/reason") == "version")
                #expect(error.at("/data/path") == "/calls/1")
                #expect(error.at("/data/current/version") == JSONValue(version), "\(second.json): \(error.json)")
                #expect(error["message"]?.text?.contains("appel précédent") == true, "\(error.json)")
            }
        }
        // The right version is none of these.
        let right = Self.call(update, .merging([("id", id), values, ("if_version", 2), ("select", "{ version }")]))
        let answer = try await rows.client.call("transaction.run", ["calls": [change, right]])
        #expect(answer.at("/results/1/version") == 3)
    }

    @Test func `a call that expects a version of a record which an earlier call has deleted is answered 404`()
        async throws
    {
        let rows = try await Fixtures()
        let id = JSONValue(try await rows.ecole())
        let delete = Self.call("ecoles.delete", ["id": id])
        let update = Self.call("ecoles.update", ["id": id, "values": ["ville": "Nice"], "if_version": 1])
        let error = try await rows.client.refusal("transaction.run", ["calls": [delete, update]])
        #expect(error["code"] == 404, "\(error.json)")
        #expect(error.at("/data/path") == "/calls/1")
    }

    @Test(arguments: ["a.version", "a.id"])
    func `a reference in the place of a version is one problem`(reference: String) async throws {
        let rows = try await Fixtures()
        let create = Self.call("ecoles.create", ["values": ["nom": .string("École \(rows.mark)")]], as: "a")
        let update = Self.call(
            "ecoles.update",
            ["id": ["$ref": "a.id"], "values": ["ville": "x"], "if_version": ["$ref": .string(reference)]])
        let error = try await rows.client.refusal("transaction.run", ["calls": [create, update]])
        #expect(error["code"] == -32602)
        let problems = error.at("/data/errors").array
        #expect(problems.map { $0["path"] } == ["/calls/1/params/if_version"], "\(error.json)")
        #expect(problems.first?["code"] == "type")
    }

    @Test func `a reference to a record of another table is refused before anything is written`() async throws {
        let rows = try await Fixtures()
        let name = JSONValue.string("École \(rows.mark)")
        let ecole = Self.call("ecoles.create", ["values": ["nom": name]], as: "e")
        let session = Self.call(
            "sessions.create",
            ["values": .merging(Fixtures.session(module: "Module \(rows.mark)") + [("client_id", ["$ref": "e.id"])])])
        let merge = Self.call("clients.fusionner", ["garde": ["$ref": "e.id"], "absorbe": 1])
        for (call, place) in [(session, "values/client_id"), (merge, "garde")] {
            let error = try await rows.client.refusal("transaction.run", ["calls": .array([ecole, call])])
            #expect(error["code"] == -32602)
            #expect(error.at("/data/errors/0/path") == .string("/calls/1/params/\(place)"))
            let message = error.at("/data/errors/0/message").text ?? ""
            #expect(message.contains("un client") && message.contains("une école"), "\(message)")
        }
    }

    @Test func `a method that does not write is to be called by itself`() async throws {
        let rows = try await Fixtures()
        for method in ["changes.list", "rpc.discover", "transaction.run", "clients.list"] {
            let error = try await rows.client.refusal("transaction.run", ["calls": [["method": .string(method)]]])
            #expect(error.at("/data/errors/0/path") == "/calls/0/method")
            #expect(error.at("/data/errors/0/code") == "rule", "\(method)")
        }
    }

    @Test func `mistakes in all calls are reported together`() async throws {
        let rows = try await Fixtures()
        let error = try await rows.client.refusal(
            "transaction.run",
            [
                "calls": [
                    Self.call("sessions.create", ["values": ["modul": "x"]], as: "a"),
                    Self.call("sessions.list", [:]), Self.call("transaction.run", ["calls": []]),
                    Self.call("sessions.delete", ["id": ["$ref": "b.id"]], as: "b"),
                    Self.call("sessions.delete", ["id": ["$ref": "c.id"]], as: "d"),
                    Self.call("sessions.delete", ["id": ["$ref": "d.id"]], as: "c"),
                    Self.call("ecoles.update", ["id": 1, "values": ["nom": ["$ref": "a.id"]]]),
                ]
            ])
        let places = error.at("/data/errors").array.map { "\($0["path"]?.text ?? "") \($0["code"]?.text ?? "")" }
        #expect(
            Set(places).isSuperset(of: [
                "/calls/0/params/values/modul unknown", "/calls/0/params/values/date required",
                "/calls/1/method rule", "/calls/2/method rule", "/calls/3/params/id rule",
                "/calls/4/params/id rule", "/calls/6/params/values/nom type",
            ]), "\(places)")
        #expect(!places.contains { $0.hasPrefix("/calls/5") })
    }

    @Test func `a call that the role does not allow is forbidden by its place`() async throws {
        let rows = try await Fixtures()
        let user = try await TestServer.running().client(TestServer.user)
        let error = try await user.refusal("transaction.run", ["calls": calls(rows)])
        #expect(error["code"] == 403)
        #expect(error.at("/data/path") == "/calls/0/method")
        let session = Self.call(
            "sessions.create", ["values": .merging(Fixtures.session(module: "Module \(rows.mark)"))])
        let answer = try await user.call("transaction.run", ["calls": [session]])
        #expect(answer.at("/results").array.count == 1)
        #expect(try await TestServer.running().client(nil).refusal("transaction.run", [:])["code"] == 401)
    }

    @Test func `fifty calls are one transaction and fifty-one too many`() async throws {
        let rows = try await Fixtures()
        func calls(_ count: Int) -> JSONValue {
            .array(
                (0..<count).map {
                    Self.call(
                        "clients.create",
                        ["values": ["raison_sociale": .string("Société \(rows.mark) \($0)")], "select": "{ id }"])
                })
        }
        let error = try await rows.client.refusal("transaction.run", ["calls": calls(51)])
        #expect(error.at("/data/errors/0/path") == "/calls")
        #expect(try await count(rows)[0] == 0)
        let answer = try await rows.client.call("transaction.run", ["calls": calls(50)])
        #expect(Set(answer.at("/results").array).count == 50)
        #expect(try await count(rows)[0] == 50)
    }

    @Test func `a transaction with a key happens once`() async throws {
        let server = try await TestServer.running()
        let rows = try await Fixtures()
        let params: JSONValue = ["calls": calls(rows), "idempotency_key": .string(rows.mark)]
        let first = try await rows.client.call("transaction.run", params)
        let again = try await rows.client.call("transaction.run", params)
        // The records are read as they are now: the client of the first call has a session.
        #expect(again.at("/results/0/id") == first.at("/results/0/id"))
        #expect(again.at("/results/0/sessions").array.count == 1)
        #expect(again.at("/results").array.dropFirst(2) == first.at("/results").array.dropFirst(2))
        let other: JSONValue = ["calls": calls(rows, date: "2026-01-13"), "idempotency_key": .string(rows.mark)]
        #expect(try await rows.client.refusal("transaction.run", other).at("/data/reason") == "idempotency")
        #expect(try await count(rows) == [1, 1, 1])
        let session = first.at("/results/3/id")
        _ = try await server.client().call("sessions.delete", ["id": session])
        let gone = try await rows.client.call("transaction.run", params)
        #expect(gone.at("/results/2") == ["deleted": true, "id": session])
        #expect(gone.at("/results/3") == ["deleted": true, "id": session])
    }

    @Test func `a dry run of a transaction answers its results and leaves nothing`() async throws {
        let rows = try await Fixtures()
        let answer = try await rows.client.call("transaction.run", ["calls": calls(rows), "dry_run": true])
        #expect(answer.at("/results/3/lieu") == "Lyon")
        #expect(answer.at("/results/3/version") == 2)
        #expect(try await count(rows) == [0, 0, 0])
    }

    @Test func `the calls of a transaction share the limit of costs`() async throws {
        let rows = try await Fixtures()
        let id = try await rows.client()
        let call = Self.call(
            "clients.update",
            [
                "id": JSONValue(id), "values": ["ville": "Lyon"],
                "select": "{ sessions(first: 500) { client { sessions(first: 50) { id } } } }",
            ])
        let error = try await rows.client.refusal("transaction.run", ["calls": [call, call]])
        #expect(error["code"] == 413)
        #expect(error.at("/data/limit") == "cost")
        let read = try await rows.client.call("clients.get", ["id": JSONValue(id), "select": "{ version }"])
        #expect(read == ["version": 1])
    }

    @Test func `an account is created with its password and changed in one transaction`() async throws {
        let server = try await TestServer.running()
        let rows = try await Fixtures()
        let email = JSONValue.string("\(rows.mark)@exemple.fr")
        let answer = try await rows.client.call(
            "transaction.run",
            [
                "calls": [
                    Self.call(
                        "users.create",
                        ["values": ["email": email, "password": "une belle phrase secrète"], "select": "{ id role }"],
                        as: "u"),
                    Self.call(
                        "users.update",
                        ["id": ["$ref": "u.id"], "values": ["role": "admin"], "select": "{ id role }"]),
                ]
            ])
        #expect(answer.at("/results/0/role") == "user")
        #expect(answer.at("/results/1/role") == "admin")
        #expect(answer.at("/results/0/id") == answer.at("/results/1/id"))
        let login = try await server.client(nil).call(
            "auth.login", ["email": email, "password": "une belle phrase secrète"])
        #expect(login.at("/user/role") == "admin")
    }

    @Test func `crossing transactions end in one of both or a retryable error, never in half of one`() async throws {
        let server = try await TestServer.running()
        let rows = try await Fixtures()
        let ids = [try await rows.ecole(), try await rows.ecole()]
        func calls(_ order: [Int], _ city: JSONValue) -> JSONValue {
            [
                "calls": .array(
                    order.map {
                        Self.call("ecoles.update", ["id": JSONValue(ids[$0]), "values": ["ville": city]])
                    })
            ]
        }
        for _ in 0..<10 {
            let clients = [try await server.client(), try await server.client()]
            async let one = clients[0].response("transaction.run", calls([0, 1], "Lyon"))
            async let other = clients[1].response("transaction.run", calls([1, 0], "Lille"))
            for answer in [try await one, try await other] {
                #expect(answer["result"] != nil || answer.at("/error/data/retryable") == true, "\(answer.json)")
            }
            let cities = try await rows.client.call(
                "ecoles.list", ["search": .string(rows.mark), "select": "{ ville }"])
            #expect(Set(cities.at("/items").array).count == 1)
        }
    }
}
